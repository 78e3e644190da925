"""`rewear codes`: the papers' tables of codes beside what the codes measure on real bits."""

from pathlib import Path
from typing import Annotated

import typer

from rewear.cli.options import Html, JsonOutput, output, whole
from rewear.cli.output import answer, command_line
from rewear.cli.progress import progress_bars
from rewear.codes.study import DEFAULT_SAMPLES, SECTIONS, study
from rewear.core.errors import ConfigurationError
from rewear.shown.codes import codes_page, save_plot, section_tables

_WITH_PLOTS = ("bch", "ldpc")
_PICTURES = (".png", ".svg")


def codes_command(
    section: Annotated[
        str | None,
        typer.Argument(
            metavar="[SECTION]", help=f"One of: {', '.join(SECTIONS)}. All unless given.", show_default=False
        ),
    ] = None,
    samples: Annotated[
        int, whole(most=10**8, help="Page pairs, pages or codewords behind every measured figure.")
    ] = DEFAULT_SAMPLES,
    seed: Annotated[int, whole(least=0, most=2**63 - 1, help="Seed of everything drawn.")] = 1,
    jobs: Annotated[
        int | None, whole(most=1024, help="Measurements at a time; the number of cores unless given.")
    ] = None,
    plot: Annotated[
        Path | None, output(metavar="OUT", help="Write the frame error rates as a picture, PNG or SVG.")
    ] = None,
    html: Html = None,
    json: JsonOutput = False,
) -> None:
    """Measures the codes on real bits and sets them beside the papers' tables.

    Measured rates stand with the 95% confidence interval (Wilson's).
    """
    for out in (plot, html):
        if out is not None:
            _check_output(out, section, picture=out is plot)
    with progress_bars() as progress:
        results = study(
            None if section is None else [section],
            samples=samples,
            seed=seed,
            jobs=jobs,
            progress=lambda state: progress("", state),
        )
    if plot is not None:
        save_plot(results, plot)
    if html is not None:
        codes_page(results).save(html, command_line())
    told = [part for name, tables in results["sections"].items() for part in section_tables(name, tables)]
    told += [f"{samples} samples, seed {seed}.", *([f"Plot: {plot}"] if plot is not None else [])]
    answer(json, lambda: results, lambda: told, html)


def _check_output(out: Path, section: str | None, picture: bool) -> None:
    """Refuses before the work what could not be written after it."""
    if section is not None and section in SECTIONS and section not in _WITH_PLOTS:
        raise ConfigurationError(f"Section {section} has no plots. Name {' or '.join(_WITH_PLOTS)}, or none for all.")
    if picture and out.suffix.lower() not in _PICTURES:
        raise ConfigurationError(f"{out} is neither a PNG nor an SVG. Give it a name that ends in .png or .svg.")
