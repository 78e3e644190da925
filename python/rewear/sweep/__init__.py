"""Many runs from one file: a grid over drives, parameters, workloads and seeds, on as many cores or hosts as there are.

Examples:
    >>> from rewear.sweep import Sweep
    >>> sweep = Sweep.from_toml('base = {drive = "qlc", workload = "uniform:requests=1000"}')
    >>> len(sweep.jobs)
    1

`Sweep.from_file("experiments/sweeps/NAME.toml").run()` gives `Results`.
"""

from rewear.sweep.grid import Axis, Job, Point
from rewear.sweep.results import Results, Row
from rewear.sweep.store import DEFAULT_STORE
from rewear.sweep.sweep import Ended, Sweep

__all__ = ["DEFAULT_STORE", "Axis", "Ended", "Job", "Point", "Results", "Row", "Sweep"]
