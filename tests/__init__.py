"""Tests of dpframe; what they share is in tests.support."""
