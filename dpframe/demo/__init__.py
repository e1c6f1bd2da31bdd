"""The main job, `python -m dpframe.demo`: a sensitive survey from declaration to receipt."""
