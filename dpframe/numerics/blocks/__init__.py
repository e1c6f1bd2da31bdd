"""Functions of blocks of records: each record has the same bits in any block."""
