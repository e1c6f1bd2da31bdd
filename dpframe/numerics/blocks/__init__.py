"""What is computed of a block of records, the same bits for a record wherever it stands."""
