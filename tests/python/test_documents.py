"""The manual: what it names exists, scheme pages say where each mechanism is, tutorials run, the README is short."""

import functools
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import rewear
from rewear.cli.commands import COMMANDS
from rewear.page.glossary import glossary
from rewear.reproduce.paper import read_papers

ROOT = Path(__file__).parents[2]
SCHEMES = sorted((ROOT / "docs" / "manual" / "schemes").glob("*.md"))
CONFORMANCE = sorted((ROOT / "docs" / "manual" / "conformance").glob("*.md"))
PAGES = sorted(
    path
    for path in (
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "experiments").rglob("*.md"),
        *(ROOT / "crates").glob("*/README.md"),
        ROOT / "recordings" / "README.md",
    )
)
GENERATED = {"parameters.md", "drives.md", "workloads.md", "figures.md", "glossary.md"}
"""Pages of the manual whose text stands in the program."""
PROSE = sorted(
    path
    for path in (
        *(ROOT / name for name in ("README.md", "DESIGN.md", "CONTRIBUTING.md", "SECURITY.md", "docs/index.md")),
        *(ROOT / "docs" / "manual").rglob("*.md"),
        *(ROOT / "docs" / "tutorials").glob("*.md"),
        *(ROOT / "docs" / "reference").glob("*.md"),
        *(ROOT / "crates").glob("*/README.md"),
        ROOT / "recordings" / "README.md",
    )
    if path.name not in GENERATED
)
KEY = r"(?:ftl|flash|reuse|recycle|effort)\.[a-z_][\w.]*\w"
MOST_LINES = 150
MOST_COLUMNS = 100
MOST_WORDS = 30
WORDS_TO_AN_ANSWER = 600


def sections(text: str) -> dict[str, str]:
    """The text below each heading of the second level."""
    parts = re.split(r"^## (.*)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def rows(table: str) -> list[list[str]]:
    """The cells of each row of a table, without its head."""
    lines = [line for line in table.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def spans(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


def paragraphs(text: str) -> list[str]:
    """Paragraphs, list items, headings and cells of tables, each in one line; code blocks are left out."""
    found: list[list[str]] = [[]]
    for line in without_code(text).splitlines():
        words = re.sub(r"^\s*(?:[-*#>]+|\d+\.)\s+", "", line)
        if line.startswith(("|", "    ")) and not found[-1]:
            found += [[cell] for cell in line.split(" | ") if line.startswith("|")] + [[]]
        elif not line.strip() or words != line:
            found.append([words] if line.strip() else [])
        else:
            found[-1].append(line.strip())
    return [" ".join(part) for part in found if part]


def sentences(text: str) -> list[str]:
    """Sentences with each code span as one word and each link as its text."""
    found = []
    for part in paragraphs(text):
        plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"`[^`]*`", "Code", part))
        found += re.split(r"(?<=[.!?])[\"')*]*\s+(?=[A-Z0-9*\"(])", plain)
    return found


def anchors(path: Path) -> set[str]:
    """The names of a page's headings as code hosts and the site make them."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.*)$", without_code(path.read_text(encoding="utf-8")), re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", words).strip().lower().replace(" ", "-")
        number = 1
        while name in found:
            name, number = f"{name}-{number}", number + 1
        found.add(name)
    return found


def source_of(page: Path, name: str) -> str:
    """The text of a file that a page names, below `crates` or the repository."""
    source = next((base / name for base in (ROOT / "crates", ROOT) if (base / name).is_file()), None)
    assert source is not None, f"{page.name}: there is no file {name}"
    return source.read_text(encoding="utf-8")


def defines(code: str, item: str) -> bool:
    """Whether a source has a type, a function, a field, a variant or a key of a name."""
    item = re.escape(item)
    named = rf"\b(?:fn|struct|enum|trait|const|class|type|def)\s+{item}\b|\b{item}\s*[:=]"
    return re.search(rf'{named}|^\s*"?{item}"?\s*(?:[,({{;=]|$)', code, re.MULTILINE) is not None


@pytest.mark.parametrize("path", [path for path in SCHEMES if path.stem != "none"], ids=lambda path: path.stem)
def test_every_mechanism_is_where_the_scheme_page_says(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    found = sections(text)
    assert list(found) == ["Idea", "Where it is", "Run it", "Parameters", "What it is worth", "Deviations"]
    table = rows(found["Where it is"])
    assert len(table) >= 10
    for _, file, items in table:
        (name,) = spans(file)
        code = source_of(path, name)
        for item in spans(items):
            assert defines(code, item), f"{path.name}: {name} defines no {item}"
    for parameter in re.findall(r"`((?:reuse|effort|recycle|ftl|flash)\.[\w.]+)`", found["Parameters"]):
        assert f"`{parameter}`" in (ROOT / "docs" / "manual" / "parameters.md").read_text(encoding="utf-8"), parameter


STATUS = ("as printed", "left open", "differs", "beyond the paper", "not modelled", "not available")


@functools.cache
def names_of_tests() -> set[str]:
    """Names of all tests, in Rust and in Python, and of all claims."""
    named: set[str] = set()
    for path in (ROOT / "crates").rglob("*.rs"):
        code = path.read_text(encoding="utf-8")
        named |= set(re.findall(r"#\[test\]\s*(?:(?:#\[.*|///.*)\n\s*)*fn (\w+)", code))
    for path in (ROOT / "tests" / "python").glob("test_*.py"):
        named |= set(re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE))
    papers = read_papers(ROOT / "experiments" / "papers").values()
    return named | {claim.name for paper in papers for claim in paper.about.claims}


@pytest.mark.parametrize("path", [path for path in CONFORMANCE if path.stem != "index"], ids=lambda path: path.stem)
def test_every_row_of_a_conformance_page_names_what_exists(path):
    tables = sections(path.read_text(encoding="utf-8"))
    mechanisms = [row for table in tables.values() for row in rows(table)]
    assert len(mechanisms) >= 50
    for mechanism, section, where, tests, status in mechanisms:
        row = f"{path.name}: {mechanism}"
        assert section, row
        assert status.startswith(STATUS), f"{row}: begin the status with one of {', '.join(STATUS)}"
        # What is missing has no place, and what is not has a reason.
        assert where != "-" or status.startswith(("not modelled", "as printed")), row
        assert status != "not modelled" and status != "differs", f"{row}: say why"
        named = spans(where)
        assert where == "-" or "/" in named[0], f"{row}: a file comes first"
        code = ""
        for name in named:
            if "/" in name:
                code = source_of(path, name)
            else:
                assert defines(code, name), f"{row}: there is no {name}"
        unknown = [test for test in spans(tests) if test not in names_of_tests()]
        assert tests == "-" or spans(tests), f"{row}: give the names of tests, or -"
        assert not unknown, f"{row}: there is no {', '.join(unknown)}"


def test_every_paper_has_a_conformance_page():
    papers = {path.parent.name for path in (ROOT / "experiments" / "papers").glob("*/claims.toml")}
    assert {path.stem for path in CONFORMANCE} == papers | {"index"}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\((?!\w+:)([^)\s]+)\)", without_code(path.read_text(encoding="utf-8"))):
        name, _, anchor = unquote(target).partition("#")
        file = path.parent / name if name else path
        if name.startswith("../rust/"):
            continue  # made by `make site`
        assert file.exists(), f"{path.name} links to {target}"
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file), f"{path.name} links to {target}"


@pytest.mark.parametrize("path", PROSE, ids=lambda path: str(path.relative_to(ROOT)))
def test_sentences_are_short_and_lines_fit(path):
    text = path.read_text(encoding="utf-8")
    long = [sentence for sentence in sentences(text) if len(re.findall(r"\S*\w\S*", sentence)) > MOST_WORDS]
    assert not long, f"{path.name}: more than {MOST_WORDS} words"
    prose = (line for line in without_code(text).splitlines() if not line.startswith(("|", "    ", "![")))
    wide = [line for line in prose if len(line) > MOST_COLUMNS]
    assert not wide, f"{path.name}: more than {MOST_COLUMNS} columns"


def test_the_readme_leads_to_an_answer_soon():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 120
    before = text.partition("## Your own workload")[0]
    assert "| drive of 1 TB" in before and "| drive, all with" in before
    assert len(before.split()) <= WORDS_TO_AN_ANSWER


def test_the_picture_of_the_readme_shows_its_table():
    picture = (ROOT / "docs" / "pictures" / "answer.svg").read_text(encoding="utf-8")
    table = re.search(r"^\| drive of 1 TB .*\n\|.*\n((?:\|.*\n)+)", (ROOT / "README.md").read_text(), re.MULTILINE)
    rows = [row.split("|") for row in table[1].splitlines()]
    assert len(rows) > 4
    for _, label, life, *_ in rows:
        pattern = rf">{re.escape(label.strip())}</text>\n<rect [^>]*>\n<text [^>]*>{re.escape(life.strip())}<"
        assert re.search(pattern, picture), f"{label}: run experiments/studies/answer_picture.py"


def test_the_first_picture_can_be_read_on_a_phone():
    picture = (ROOT / "docs" / "pictures" / "answer.svg").read_text(encoding="utf-8")
    width = int(re.search(r'viewBox="0 0 (\d+) ', picture)[1])
    # A phone of 420 px has 16 px of margin on either side; words of 14 px are then shown at 13 or more.
    assert width <= 420 and 14 * min(1.0, 388 / width) >= 13
    for x, text in re.findall(r'<text x="([\d.]+)"[^>]*>([^<]*)<', picture):
        assert float(x) + 7.3 * len(text) <= width, text
    css = (ROOT / "docs" / "site.css").read_text(encoding="utf-8")
    assert ':not([src$="answer.svg"]) { width' in css


def test_the_glossary_has_the_words_of_the_pages():
    manual = (ROOT / "docs" / "manual" / "glossary.md").read_text(encoding="utf-8")
    for word, meaning in {**glossary("advice"), **glossary("comparison")}.items():
        assert f"| {word} | {meaning} |" in manual


def options_of(words: list[str]) -> set[str] | None:
    """The options of the command that the words begin with; None if there is no such command."""
    group: Any = {name: command.load() for name, command in COMMANDS.items()}
    options = {"--help", "-h", "--version"}
    for word in words:
        if word not in group:
            return None
        command = group[word]
        options |= {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
        if not hasattr(command, "commands"):
            break
        group = command.commands
    return options


@pytest.mark.parametrize("path", PROSE, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_commands_of_the_manual_exist(path):
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    shell = "\n".join(re.findall(r"^```(?:sh)?\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    for line in re.findall(r"^(?:sudo )?(?:\.venv/bin/)?rewear (.*)$", shell, re.MULTILINE):
        words = shlex.split(re.split(r"\s#\s| -- | ?&$", line)[0], comments=True)
        options = options_of(words)
        assert options is not None, f"{path.name}: there is no `rewear {line}`"
        unknown = [word for word in words if re.match(r"--?[a-z]", word) and word.split("=")[0] not in options]
        assert not unknown, f"{path.name}: `rewear {line}`"


def test_the_keys_that_documents_name_are_parameters():
    table = (ROOT / "docs" / "manual" / "parameters.md").read_text(encoding="utf-8")
    known = set(re.findall(rf"`({KEY})`", table))
    known |= {key.rsplit(".", parts)[0] for key in known for parts in range(1, key.count(".") + 1)}
    assert len(known) > 130
    named = [
        (path.name, key)
        for path in (*PROSE, *(ROOT / "docs" / "notebook").glob("*.md"))
        if path.stem != "victim-policy"  # its policy is the reader's own
        for key in re.findall(rf"(?<![\w/.-])({KEY})(?![\w(/])", path.read_text(encoding="utf-8"))
    ]
    assert len(named) > 300
    assert [(page, key) for page, key in named if key not in known and not key.endswith(".rs")] == []


def test_the_keys_that_the_manual_describes_are_keys_of_reports():
    known = set(rewear.ask("schema.report")["properties"])
    manual = ROOT / "docs" / "manual"
    table = rows(sections((manual / "formats.md").read_text(encoding="utf-8"))["The report"])
    described = {key for keys, _ in table for key in spans(keys)}
    figures = {
        path.partition(".")[0] for path in re.findall(r"`([a-z_.]+)", (manual / "figures.md").read_text("utf-8"))
    }
    assert described <= known
    assert known <= described | figures


def test_the_manual_page_is_up_to_date():
    written = runpy.run_path(str(ROOT / "docs" / "man_page.py"))
    assert written["PAGE"].read_text(encoding="utf-8") == written["page"](), "run `make docs`"


def python_blocks(page: Path) -> str:
    return "\n".join(re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))


def run_tutorial(name: str, folder: Path) -> str:
    program = python_blocks(ROOT / "docs" / "tutorials" / f"{name}.md")
    (folder / "recordings").symlink_to(ROOT / "recordings")
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_tutorial_is_it_worth_it_runs(tmp_path):
    assert "times as long" in run_tutorial("worth-it", tmp_path)


@pytest.mark.skipif(
    any(shutil.which(tool) is None for tool in ("nbdkit", "nbdcopy", "mkfs.ext4")),
    reason="needs nbdkit, nbdcopy and mkfs.ext4: apt-get install nbdkit libnbd-bin e2fsprogs",
)
def test_the_tutorial_a_file_system_runs(tmp_path):
    printed = run_tutorial("file-system", tmp_path)
    assert int(re.search(r"(\d+) units written again", printed)[1]) > 0


def test_the_code_of_the_tutorial_is_the_compiled_example():
    page = (ROOT / "docs/tutorials/victim-policy.md").read_text(encoding="utf-8")
    example = ROOT / "crates/ftl/tests/worked_examples/windowed_greedy.rs"
    (block,) = re.findall(r"```rust\n(.*?)```", page, re.DOTALL)
    assert block == example.read_text(encoding="utf-8")
    # It stands in the crate as it is: no path of the crate by its name from outside.
    assert "rewear_ftl::" not in block


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_examples_compare_wom_v_with_a_drive_of_as_much_flash(path):
    # qlc has half the flash of qlc-wom-v, which exports as much.
    for line in path.read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        if "rewear compare" in line and "qlc-wom-v" in line:
            assert "qlc-op114" in line, line
