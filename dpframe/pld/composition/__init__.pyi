from .atomic import response_delta as response_delta
from .atomic import response_epsilon as response_epsilon
from .profile import delta_interval as delta_interval
from .profile import epsilon_interval as epsilon_interval
from .total import TotalLoss as TotalLoss
from .total import total_loss as total_loss
