"""Counts which parts of the Python package import each other: arrows between them, arrows that run up, circles.

A part is a folder or a file of `python/rewear`, and an arrow leads from a part to one that it imports, within functions
and for types, too. The parts are set in an order in which few arrows run up: what is imported stands below. Circles
are of files: each reaches all others of its circle by imports.

    python experiments/studies/import_arrows.py v0.2.0 HEAD --up
"""

import argparse
import ast
from collections.abc import Iterator

from call_circles import circles
from code_lines import sources

FOLDER = "python/rewear"
Arrow = tuple[str, str]


def imports(files: dict[str, str]) -> set[Arrow]:
    """The files that import, each with one that is imported; modules as `rewear.core.drive`."""

    def imported(text: str) -> Iterator[str]:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module:
                for each in node.names:
                    full = f"{node.module}.{each.name}"
                    yield full if full in files else node.module
            elif isinstance(node, ast.Import):
                yield from (each.name for each in node.names)

    return {(name, other) for name, text in files.items() for other in imported(text) if other in files} - {
        (name, name) for name in files
    }


def part(module: str) -> str:
    """The folder or the file of a module."""
    return module.split(".")[1] if "." in module else "__init__"


def upward(arrows: set[Arrow]) -> set[Arrow]:
    """The arrows that run up in the best order that is found: Eades' heuristic, then moves of single parts."""
    left, below, above = {each for arrow in arrows for each in arrow}, list[str](), list[str]()

    def degrees(each: str) -> tuple[int, int]:
        out = sum(start == each and end in left for start, end in arrows)
        return out, sum(end == each and start in left for start, end in arrows)

    while left:
        named = {each: degrees(each) for each in sorted(left)}
        chosen = next((each for each, (out, _) in named.items() if not out), None)
        if chosen is not None:
            below.append(chosen)
        else:
            chosen = next((each for each, (_, into) in named.items() if not into), None) or max(
                named, key=lambda each: named[each][0] - named[each][1]
            )
            above.insert(0, chosen)
        left.remove(chosen)
    order = [*below, *above]

    def up() -> set[Arrow]:
        place = {each: number for number, each in enumerate(order)}
        return {(start, end) for start, end in arrows if place[start] < place[end]}

    better = True
    while better:
        better = False
        for each in list(order):
            fewest, at = len(up()), order.index(each)
            for place in range(len(order)):
                order.remove(each)
                order.insert(place, each)
                if len(up()) < fewest:
                    fewest, at, better = len(up()), place, True
            order.remove(each)
            order.insert(at, each)
    return up()


def measured(revision: str | None) -> tuple[set[Arrow], set[Arrow], list[list[str]]]:
    """Arrows between parts, those of them that run up, and the circles of files of a revision."""
    files = {
        path.removeprefix("python/").rsplit(".", 1)[0].replace("/", ".").removesuffix(".__init__"): text
        for path, text in sources(revision, FOLDER, (".py", ".pyi")).items()
    }
    found = imports(files)
    arrows = {(part(start), part(end)) for start, end in found if part(start) != part(end)}
    return arrows, upward(arrows), circles(found)


def main() -> None:
    """Prints a line for each revision."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("revisions", nargs="*", help="revisions of git; the working tree if there is none")
    parser.add_argument("--up", action="store_true", help="the arrows that run up, and the circles, too")
    arguments = parser.parse_args()
    for revision in arguments.revisions or [None]:
        arrows, up, found = measured(revision)
        parts = len({each for arrow in arrows for each in arrow})
        sizes = [len(circle) for circle in found]
        print(f"{revision or 'as is'}: {parts} parts, {len(arrows)} arrows, {len(up)} up; circles: {sizes or 'none'}")
        if arguments.up:
            print("\n".join(f"    {start} -> {end}" for start, end in sorted(up)))
            print("\n".join(f"    circle: {' '.join(circle)}" for circle in found))


if __name__ == "__main__":
    main()
