"""Whether what the kernel accepts is true, by brute force, which knows no sensitivity of dpframe.

`corpus` has the certificates that dpframe ships; `tamper` those that were tampered with; `answers`
what the kernel says of them; `truth` whether what it accepts is true; `tables` what the nodes of a
certificate compute.
"""
