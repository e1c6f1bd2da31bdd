"""The main job, `python -m demo`: a sensitive survey from declaration to receipt."""
