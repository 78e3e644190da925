"""The floors of the Python package: what may import what."""

import ast
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest
import rewear

PACKAGE = Path(__file__).parents[2] / "python" / "rewear"
BELOW = sorted(
    path.relative_to(PACKAGE).as_posix()
    for path in PACKAGE.rglob("*.py*")
    if path.suffix in (".py", ".pyi") and path.relative_to(PACKAGE).parts[0] not in ("cli", "__main__.py")
)


def imported(path: Path) -> Iterator[str]:
    """Modules that a file imports, those inside functions, too."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


@pytest.mark.parametrize("name", BELOW)
def test_nothing_below_the_command_line_imports_it(name):
    assert [module for module in imported(PACKAGE / name) if module.startswith("rewear.cli")] == []


def test_no_folder_has_a_public_name():
    """The import of a module below it would put the folder in the place of the function."""
    assert {path.name for path in PACKAGE.iterdir() if path.is_dir()} & {*rewear.__all__} == set()


def test_few_files_import_each_other(monkeypatch):
    root = PACKAGE.parents[1]
    monkeypatch.syspath_prepend(root / "experiments" / "studies")
    monkeypatch.chdir(root)
    arrows, _, circles = runpy.run_path(str(root / "experiments/studies/import_arrows.py"))["measured"](None)
    assert len(arrows) > 60, "the script finds no imports any more"
    assert max(map(len, circles)) <= 4, circles
