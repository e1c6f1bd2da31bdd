"""Printed adaSSP with half of the variance off the diagonal of X'X, for the same privacy."""

from __future__ import annotations

from typing import ClassVar

from dpframe.literature import AdaSSPWang
from dpframe.mechanisms import Gaussian
from dpframe.mechanisms.base import StdNoise


class AdaSSPWangIsotropic(AdaSSPWang):
    """AdaSSPWang with isotropic noise: the boards call it `AdaSSPWang`, and the printed form, which
    has noise of one size on and off the diagonal, `AdaSSPWangMirrored`. [Wang18, Alg. 2]
    """

    on_gram: ClassVar[type[StdNoise]] = Gaussian
