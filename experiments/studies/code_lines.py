"""Counts the code of a folder at several revisions: lines, tokens, and lines that only import or declare.

Left out are blank lines, comments, and what is compiled for tests. Without a revision the files are
counted as they lie.

    python experiments/studies/code_lines.py 55da819 HEAD --folder crates/ftl/src --by-folder
"""

import argparse
import collections
import pathlib
import re
import subprocess

STRING = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])'")
TOKEN = re.compile(STRING.pattern + r"|[A-Za-z_]\w*|\d[\w.]*|=>|->|::|\.\.=?|&&|\|\||[<>=!+\-*/]=|<<|>>|\S")
IMPORT = re.compile(r"(pub(\(\w+\))? )?(use|mod) ")


def sources(revision: str | None, folder: str, ends: tuple[str, ...] = (".rs",)) -> dict[str, str]:
    """The files below a folder with one of these endings, by path; of the working tree if there is no revision."""
    if revision is None:
        paths = [path for path in pathlib.Path(folder).rglob("*") if path.suffix in ends]
        return {str(path): path.read_text(encoding="utf-8") for path in paths}

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout

    names = git("ls-tree", "-r", "--name-only", revision, folder).split()
    return {path: git("show", f"{revision}:{path}") for path in names if path.endswith(ends)}


def code(text: str) -> list[str]:
    """The lines that are neither blank nor comments nor compiled for tests only."""
    kept: list[str] = []
    lines = iter(text.splitlines())
    for line in map(str.strip, lines):
        if line.startswith("#[cfg(test)]") or line == "#[test]":
            depth, begun = 0, False
            for inner in lines:
                bare = STRING.sub("", inner.split("//")[0])
                depth += bare.count("{") - bare.count("}")
                begun = begun or "{" in bare
                if depth <= 0 and (begun or bare.rstrip().endswith(";")):
                    break
        elif line and not line.startswith("//"):
            kept.append(line)
    return kept


def main() -> None:
    """Prints a row for each revision, and its folders if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("revisions", nargs="*", help="revisions of git; the working tree if there is none")
    parser.add_argument("--folder", default="crates/ftl/src")
    parser.add_argument("--by-folder", action="store_true", help="lines of code of each folder, too")
    arguments = parser.parse_args()
    print("revision  files   lines    code   tokens  use, mod")
    for revision in arguments.revisions or [None]:
        files = sources(revision, arguments.folder)
        kept = {path: code(text) for path, text in files.items()}
        flat = [line for lines in kept.values() for line in lines]
        tokens = sum(len(TOKEN.findall(line)) for line in flat)
        print(
            f"{revision or 'as is':8}  {len(files):5}  {sum(text.count(chr(10)) for text in files.values()):6,}"
            f"  {len(flat):6,}  {tokens:7,}"
            f"  {sum(IMPORT.match(line) is not None for line in flat):8,}"
        )
        if arguments.by_folder:
            folders: collections.Counter[str] = collections.Counter()
            for path, lines in kept.items():
                folders[str(pathlib.PurePath(path).relative_to(arguments.folder).parent)] += len(lines)
            for name, count in sorted(folders.items()):
                print(f"    {count:6,}  {name}")


if __name__ == "__main__":
    main()
