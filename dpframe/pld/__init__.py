"""Privacy losses and the certified profile of their composition."""
