"""The words of the pages, each in a sentence; they stand in a file beside this one."""

import tomllib
from importlib.resources import files


def glossary(page: str) -> dict[str, str]:
    """The words of a kind of page (`advice`, `comparison`) with their meanings; those of all pages come last."""
    words = tomllib.loads(files("rewear.page").joinpath("glossary.toml").read_text(encoding="utf-8"))
    return {**words[page], **words["common"]}
