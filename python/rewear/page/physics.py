"""The page of the cell model: distributions, rates, lives, latencies and second writes."""

from typing import Any

from rewear.cli.physics_tables import text_tables
from rewear.cli.show import flatten
from rewear.page.physics_figures import all_physics_plots
from rewear.page.templates import render_template
from rewear.physics import CellModel

__all__ = ["render_physics_page"]


def render_physics_page(model: CellModel, results: dict[str, Any], command: str | None = None) -> str:
    """A self-contained page: plots of `model`, figures of its study. The same study gives the same bytes."""
    return render_template(
        "physics.html.j2",
        data=results,
        plots=all_physics_plots(model, results),
        tables=text_tables(results),
        parameters=list(flatten(results["config"])),
        command=command,
    )
