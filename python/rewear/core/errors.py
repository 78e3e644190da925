"""Exceptions of Rewear, one family.

Every message names the place (a file and line, a configuration key, an argument), what is wrong and how to mend it. The
command line prints exactly that message and exits with code 2.
"""

from collections.abc import Iterable


class RewearError(ValueError):
    """Base of all errors that Rewear raises on purpose."""


class ConfigurationError(RewearError):
    """A drive, workload or replay was described wrongly: unknown key, impossible value, unknown preset."""


class TraceError(RewearError):
    """A trace cannot be opened, recognised, read or written."""


class ReplayError(RewearError):
    """A replay cannot go on: the trace reaches beyond the drive, or its options contradict each other."""


class PolicyError(RewearError):
    """A policy in Python cannot be read, raised an exception, or gave an answer that is none."""


class ServeError(RewearError):
    """A drive cannot be served, a served drive does not answer, or its server ended before its time."""


class CodeError(RewearError):
    """A code does not exist with these parameters, or refuses its arguments."""


class InternalError(RewearError):
    """A defect of Rewear itself. The message holds what a bug report needs."""


class RewearWarning(UserWarning):
    """Something that goes on, but that its user should know of. The command line prints it as one line."""


def near(word: str, known: Iterable[str], prefix: str = "") -> str:
    """` Did you mean ...?` where a known word is similar, else nothing."""
    import difflib  # Few commands err.

    similar = difflib.get_close_matches(word, list(known), n=1)
    return f" Did you mean {prefix + similar[0]!r}?" if similar else ""
