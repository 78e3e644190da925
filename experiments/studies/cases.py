"""Texts that people hold: what `rewear life` and `rewear trace info` say of each file of a folder.

    .venv/bin/python experiments/studies/cases.py FOLDER

A refusal that prints the argument to type is followed: the row then has both.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

from rewear.figures.units import format_count, format_time

LOGS = (".json", ".prom")
TEXTS = ("smart_log_text", "smartctl")
MOST = 150
"""Characters of a cell."""


def said(*arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of the command."""
    done = subprocess.run([sys.executable, "-m", "rewear", *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def life(path: Path) -> tuple[str, str]:
    """What is said of a log, or why nothing."""
    code, out, error = said("life", str(path))
    lines = [line for line in out.splitlines() if line.strip()]
    if code and not lines:
        return "life", error.removeprefix("rewear: ")
    wrote = next((re.sub(r"\s{2,}", " ", line.strip()) for line in lines if "host wrote" in line), "")
    return "life", f"{lines[0].strip()} {wrote}" if "disk" not in lines[0] else " ".join(lines[2].split())


def trace(path: Path, argument: str = "") -> tuple[str, str]:
    """What is counted in a trace; a refusal that has an argument to type is followed once."""
    code, out, error = said("trace", "info", argument or str(path), "--json")
    if code:
        typed = re.search(r"in this: (\S+)", error)
        if typed and not argument:
            return "by the printed argument", trace(path, typed[1])[1]
        return "refused", error.removeprefix("rewear: ")
    found = json.loads(out)
    count = f"{format_count(found['read']['requests'])} reads, {format_count(found['write']['requests'])} writes"
    jump = f"; {found['clock_jump']['problem']}" if found["clock_jump"] else ""
    return (
        f"as {found['description']['format']}",
        f"{count} in {format_time(found['last_ns'] - found['first_ns'])}{jump}",
    )


def main() -> None:
    """Prints a row a file."""
    print("| file | read | answer |\n|---|---|---|")
    for path in sorted(Path(sys.argv[1]).iterdir()):
        if path.suffix in (".py", ".sh", ".md"):
            continue
        is_log = path.suffix in LOGS or any(text in path.name for text in TEXTS)
        how, answer = life(path) if is_log else trace(path)
        answer = " ".join(answer.replace(f"{path}", path.name).replace("|", "\\|").split())
        print(f"| `{path.name}` | {how} | {answer if len(answer) <= MOST else answer[:MOST] + '..'} |", flush=True)


if __name__ == "__main__":
    main()
