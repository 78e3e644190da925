"""What is loaded when: the command and the package start fast, since each part is loaded when it is used."""

import inspect
import subprocess
import sys

import pytest
import rewear as api
import typer
from rewear.cli.commands import COMMANDS


def loaded_by(program: str) -> set[str]:
    """The modules that a program has loaded when it ends."""
    code = f"import sys\n{program}\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=120)
    return set(done.stderr.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_says_of_each_command_what_the_command_says(name):
    found = COMMANDS[name].definition()
    documented = found.info.help if isinstance(found, typer.Typer) else inspect.getdoc(found).splitlines()[0]
    assert COMMANDS[name].line == documented


HELP = """
sys.argv = ["rewear", {}]
from rewear.cli.main import main
try:
    main()
except SystemExit:
    pass
"""


def test_the_help_loads_no_command():
    modules = loaded_by(HELP.format('"--help"'))
    assert "rewear.cli.commands" in modules
    assert not {each.module for each in COMMANDS.values()} & modules
    assert not {"jinja2", "rewear.core.drive", "rewear.core.report"} & modules


def test_a_command_loads_no_other():
    modules = loaded_by(HELP.format('"show", "--help"'))
    assert "rewear.cli.show" in modules
    assert not {"rewear.cli.advise", "rewear.cli.serve", "jinja2"} & modules


def test_the_package_loads_what_is_used():
    assert not {"json", "rewear.core.drive", "rewear.advice"} & loaded_by("import rewear")
    assert "rewear.core.drive" in loaded_by("import rewear\nrewear.Drive")


def test_every_public_name_is_there():
    assert set(api.__all__) <= set(dir(api))
    for name in api.__all__:
        assert getattr(api, name).__module__.startswith("rewear"), name


def test_parts_are_loaded_by_their_name():
    assert "rewear.sweep" in loaded_by("import rewear\nrewear.sweep.Sweep")
    for name in ("nonesuch", "_nonesuch"):
        with pytest.raises(AttributeError, match=f"no attribute '{name}'"):
            getattr(api, name)


def test_an_unknown_command_is_refused_with_the_nearest(rewear):
    done = rewear("comapre")
    assert done.returncode == 2
    assert "Did you mean 'compare'" in done.stderr


LARGE = ("numpy", "vl_convert", "dask", "pyarrow")


def test_the_command_line_loads_no_library_of_numbers():
    """What takes long to load is loaded by the commands that need it."""
    code = "import sys, rewear.cli.main; print({*sys.modules} & {*sys.argv})"
    done = subprocess.run([sys.executable, "-c", code, *LARGE], check=True, capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "set()"
