"""The Micron twin fitted to every second point, and asked for the others: a table of docs/notebook/twins.md.

    python experiments/studies/twin_halves.py

Twice: to the odd points of `experiments/twins/points.csv`, and to the even ones. Predictions are means over five seeds.
"""

from pathlib import Path
from statistics import fmean

from rewear.figures.units import format_bytes
from rewear.reproduce.computation import study_module

twins = study_module("twins", Path(__file__).parents[1] / "twins" / "studies")

_DRIVE = "Micron 7450 MAX 800GB"
_SEEDS = (1, 2, 3, 4, 5)


def main() -> None:
    """Prints both twins and a row for each prediction."""
    for half in twins.HALVES:
        twin, points = twins.fitted_to_half(_DRIVE, half)
        print(" ".join(twin.configuration["description"].split()))
        print("\n| workload | over | drive | twin | off |\n|---|--:|--:|--:|--:|")
        by_seed = [twins.predictions_of_half(_DRIVE, half, seed) for seed in _SEEDS]
        for point, predictions in zip(points, zip(*by_seed, strict=True), strict=True):
            expected = fmean(each.expected for each in predictions)
            print(
                f"| `{point.workload}` | {format_bytes(point.fill_bytes)} | {point.write_amplification:.3f} "
                f"| {expected:.3f} | {expected - point.write_amplification:+.3f} |"
            )
        errors = [fmean(each.absolute_error for each in predictions) for predictions in by_seed]
        print(f"\nmean error {fmean(errors):.3f}; by seed {' '.join(f'{error:.3f}' for error in errors)}\n")


if __name__ == "__main__":
    main()
