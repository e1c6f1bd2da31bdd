"""Checks of plug-ins from outside: what every class of dpframe's own is tested for as well."""
