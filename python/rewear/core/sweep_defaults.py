"""Defaults of sweeps, apart from what runs them, which takes long to load."""

from pathlib import Path

DEFAULT_STORE = Path("out/runs")
"""Folder of finished runs, beside those of other sweeps."""

PATIENCE_S = 3600.0
"""How long runs wait for a worker where there is none."""
