"""Counts which files of the translation layer reach each other by calls: methods and functions, not names of types.

An arrow leads from a file to another if it calls a method of the layer's types that is defined there, or a
function by the name of that file (`stored::load(..)`). A method that several types have is found by its receiver:
`hand` and `cleaner` are called by their names. Files that reach each other over arrows form a circle. Code that is
compiled for tests is left out.

    python experiments/studies/call_circles.py 59cf71c HEAD --arrows
"""

import argparse
import pathlib
import re

from code_lines import code, sources

TYPES = ("Ftl", "Hand", "Cleaner")
IMPL = re.compile(rf"impl ({'|'.join(TYPES)}) {{")
FUNCTION = re.compile(r"(?:pub(?:\([\w:: ]+\))? )?(?:const )?fn (\w+)")
METHOD_CALL = re.compile(r"(\w+)(?:\(\))?\s*\.\s*(\w+)(?:::<[^>]*>)?\(")
FUNCTION_CALL = re.compile(r"\b(\w+)::(\w+)(?:::<[^>]*>)?\(")


def stem(path: str) -> str:
    """The name of the module that lies in a file."""
    file = pathlib.PurePath(path)
    return file.parent.name if file.stem == "mod" else file.stem


def definitions(files: dict[str, list[str]]) -> tuple[dict[tuple[str, str], str], dict[tuple[str, str], list[str]]]:
    """The file of each method by type and name, and the files of each function by module and name."""
    methods: dict[tuple[str, str], str] = {}
    functions: dict[tuple[str, str], list[str]] = {}
    for path, lines in files.items():
        owner, depth = None, 0
        for line in lines:
            if depth == 0 and (found := IMPL.match(line)):
                owner = found[1]
            elif found := FUNCTION.match(line):
                if depth == 0:
                    functions.setdefault((stem(path), found[1]), []).append(path)
                elif depth == 1 and owner:
                    methods[owner, found[1]] = path
            bare = re.sub(r"'[{}]'|\"(?:\\.|[^\"\\])*\"", "", line.split("//")[0])
            depth += bare.count("{") - bare.count("}")
            if depth == 0:
                owner = None
    return methods, functions


def arrows(files: dict[str, list[str]]) -> set[tuple[str, str]]:
    """The files that call, each with one that is called."""
    methods, functions = definitions(files)
    found = set()
    for path, lines in files.items():
        text = "\n".join(lines)
        own = [type_ for type_ in TYPES if re.search(rf"^impl {type_} {{", text, re.MULTILINE)]
        for receiver, name in METHOD_CALL.findall(text):
            if receiver in ("hand", "cleaner"):
                types = [receiver.capitalize(), "Ftl"]
            elif receiver == "self":
                types = own
            elif receiver == "ftl":
                types = ["Ftl"]
            else:
                continue
            found |= {(path, methods[type_, name]) for type_ in types if (type_, name) in methods}
        for module, name in FUNCTION_CALL.findall(text):
            called = functions.get((module, name), [])
            near = [other for other in called if pathlib.PurePath(other).parent == pathlib.PurePath(path).parent]
            found |= {(path, other) for other in near or called}
    return {(path, other) for path, other in found if path != other}


def circles(edges: set[tuple[str, str]]) -> list[list[str]]:
    """The sets of files that reach each other, the largest first."""
    reach = {path: {other for start, other in edges if start == path} for edge in edges for path in edge}
    for middle in reach:
        for path in reach:
            if middle in reach[path]:
                reach[path] |= reach[middle]
    sets = {frozenset(other for other in reach[path] if path in reach[other]) for path in reach}
    return sorted((sorted(circle) for circle in sets if len(circle) > 1), key=lambda circle: (-len(circle), circle))


def main() -> None:
    """Prints the circles of each revision."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("revisions", nargs="*", help="revisions of git; the working tree if there is none")
    parser.add_argument("--folder", default="crates/ftl/src")
    parser.add_argument("--arrows", action="store_true", help="the arrows of each circle, too")
    arguments = parser.parse_args()
    for revision in arguments.revisions or [None]:
        texts = sources(revision, arguments.folder)
        edges = arrows({path.removeprefix(arguments.folder + "/"): code(text) for path, text in texts.items()})
        found = circles(edges)
        sizes = [len(circle) for circle in found]
        print(f"{revision or 'as is'}: {len(edges)} arrows; files of each circle: {sizes or 'none'}")
        for circle in found:
            print("   ", " ".join(circle))
            if arguments.arrows:
                inside = sorted(edge for edge in edges if set(edge) <= set(circle))
                print("\n".join(f"        {start} -> {end}" for start, end in inside))


if __name__ == "__main__":
    main()
