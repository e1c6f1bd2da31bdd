"""The checker as it was before it became a kernel that replays witnesses: an oracle for tests.

`old_check` is that checker, unchanged; `corpus` the certificates that dpframe ships; `tamper` those
that were tampered with; `compare` what two checkers say of all; `truth` whether what is accepted is
true, by brute force; `tables` what the nodes of a certificate compute.
"""
