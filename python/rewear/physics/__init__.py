"""Why program steps, codes and wear go together: raw bit error rates of a multi-level cell from published parameters.

Examples:
    >>> from rewear.physics import CellModel
    >>> model = CellModel()
    >>> fine, coarse = model.rber([0.15, 0.3], cycles=3000, retention_hours=8760)
    >>> limits = model.limits()
    >>> bool(fine < limits["bch"]["rber"] < coarse < limits["ldpc"][1]["rber"])
    True

Voltages are on the normalised scale of the literature, cycles are program/erase cycles of a block, retention is in
hours. `docs/manual/physics.md` lists the assumptions, the notebook each source.
"""

from rewear.physics.model import CellModel
from rewear.physics.study import study

__all__ = ["CellModel", "study"]
