"""What third and fourth writes could add to second writes: `python experiments/studies/further_writes.py`.

Second writes are measured; what follows them is arithmetic. n second writes take 2 n pages, on which n / 2 third writes
of four pages fit at most, and n / 4 fourth ones of eight. That is the bound. The estimate takes it that the pages of a
group are free independently of each other, as often as those of a pair are: a share q of the pages has a second write,
q^2 a third, q^4 a fourth.
"""

from typing import Any

import rewear

SECOND: dict[str, Any] = {"reuse.scheme": "second-write", "reuse.success_probability": 0.95}
ZIPF = "requests=3000000,arrival=poisson,rate=200"


def row(name: str, source: rewear.Trace | rewear.Workload, over_provisioning: float, **options: Any) -> str:
    """Measured erases with second writes, and the bounds and estimates with third and fourth ones."""
    base = {"ftl.over_provisioning": over_provisioning}
    settings = {"plain": base, "second": {**base, **SECOND}}
    drives = {key: rewear.Drive("toshiba-slc", set=chosen) for key, chosen in settings.items()}
    comparison = rewear.compare(source, list(drives.items()), precondition="fill", **options)
    reports = {run.label: run.report for run in comparison.runs}
    plain, second = reports["plain"], reports["second"]
    written, n = second.host_pages_written, second["second_writes"]["written"]
    first = written - n
    ratio = second.erases / plain.erases
    bounds = [ratio * written / (written + more * n) for more in (1 / 2, 3 / 4)]
    q = min(1.0, 2 * n / first)
    estimates = [ratio * written / (written + first * more) for more in (q**2 / 4, q**2 / 4 + q**4 / 8)]
    further = [f"{best - 1:+.0%} / {likely - 1:+.0%}" for best, likely in zip(bounds, estimates, strict=True)]
    cells = [f"{n / written:.0%}", f"{ratio - 1:+.0%}", *further]
    return f"| {name}, {over_provisioning:.0%} | " + " | ".join(cells) + " |"


def main() -> None:
    """Prints the table."""
    columns = ["second-write share", "second writes", "with third: bound / estimate", "with fourth: bound / estimate"]
    print("| workload, over-provisioning | " + " | ".join(columns) + " |")
    print("|---|--:|--:|--:|--:|")
    for over_provisioning in (0.07, 0.28):
        for theta in (1, 2):
            print(row(f"Zipf({theta})", rewear.Workload(f"zipf:theta={theta},{ZIPF}"), over_provisioning))
        print(row("recorded day", rewear.Trace("recordings/day.rwt"), over_provisioning, fit="dense", loops=2))


if __name__ == "__main__":
    main()
