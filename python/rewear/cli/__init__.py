"""The command `rewear`: one file a command, on top of the Python API."""
