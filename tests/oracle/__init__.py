"""Whether what the kernel accepts is true, by brute force, which knows no sensitivity of dpframe.

`corpus` has the certificates that dpframe ships; `tamper` those that were tampered with; `truth`
says whether what the kernel accepts of them is true; `tables` what the nodes of a certificate
compute.
"""
