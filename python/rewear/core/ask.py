"""The door to codes, cells, bounds, schemas and catalogues: questions with structured answers."""

import json
from typing import Any

from rewear import _core
from rewear.core.errors import ConfigurationError
from rewear.core.progress import ProgressCallback


def ask(question: str, progress: ProgressCallback | None = None, **arguments: Any) -> Any:
    """The answer to a question as plain data; the questions and their arguments are in `crates/python/src/ask`.

    Examples:
        >>> ask("codes.wom-v", k=2, n=4)["generations"]
        5

    Args:
        question: A name of the table there; an unknown one is an error that lists them.
        progress: Called a few times a second with the trials done; an exception that it raises ends the work.
        arguments: Plain values by name; `None` stands for the default.

    Raises:
        ConfigurationError: No such question, or an argument that is unknown, missing or impossible.
        CodeError: A code does not exist or refuses its arguments.
    """
    given = {name: value for name, value in arguments.items() if value is not None}
    try:
        text = json.dumps(given, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"Question {question}: arguments must be plain finite values: {error}.") from None
    return json.loads(_core.ask(question, text, progress))
