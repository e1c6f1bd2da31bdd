"""What an audit finds, once, for every face of its page: terminal, JSON and HTML."""

from .findings import Findings, findings

__all__ = ["Findings", "findings"]
