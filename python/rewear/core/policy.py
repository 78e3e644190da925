"""Policies in Python: which erase unit is cleaned next, and which pages lie together.

A policy is a file with one function or more:

| function | asked | answers |
|---|---|---|
| `victim(units)` | whenever a unit is to be cleaned | one of `units`, a sequence of `Candidate` |
| `moved(unit)` | whenever a unit was chosen, a `Victim` | the stream of its valid pages, as below |
| `host()` | at the beginning and after `moved` | the stream of pages that the host writes, as below |

With `moved` or `host` it has a number `streams`, 2 to 16: open erase units of each pool. An answer is a stream from 0
on, or a pair of one and rising ages, which divide it from the next ones. `1, [1000]` sends pages younger than 1000 to
stream 1 and others to stream 2. The age of a page that is moved is the number of pages that the host wrote since it
wrote that one. Of a page that the host writes it is the age of the version that it replaces, infinite where there is
none.

The file is read once and executed anew for each replay, so that its variables begin anew.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NoReturn

from rewear import _core
from rewear._core import Candidate, Candidates, Victim
from rewear.core.errors import ConfigurationError, PolicyError
from rewear.core.files import read_bytes
from rewear.core.printable import printable

__all__ = ["Candidate", "Candidates", "Policy", "Victim"]

_FUNCTIONS = ("victim", "moved", "host")
_PARAMETERS = (bool, int, float, str)
"""Parameters that a command line can change."""
_STREAMS = range(2, 17)
_MOST_S = 10.0
"""Longest time of a call. Calls take microseconds, and one beside thirty other processes a millisecond."""
_LOOKS = 20
"""Times that the watch over endless calls looks within that."""


class _EndlessError(BaseException):
    """Ends a call that does not end, under a name that no `except Exception` catches."""


class Policy:
    """A policy in Python. Each replay has a fresh one.

    Examples:
        >>> import rewear
        >>> class Oldest:
        ...     def victim(self, units):
        ...         return max(units, key=lambda unit: unit.age)
        >>> policy = rewear.Policy(Oldest)
        >>> drive = rewear.Drive("qlc").with_policy(policy)
        >>> report = drive.replay(rewear.Workload("uniform:requests=30000"), precondition="fill")
        >>> policy.calls >= report["garbage_collections"] > 0
        True
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | Callable[[], Any],
        set: Mapping[str, str | bool | int | float] | None = None,
    ) -> None:
        """Reads a policy.

        Args:
            source: A Python file, or a class or function without arguments whose result has the functions as methods.
            set: Numbers, texts and truth values of the policy to change, once its file has been executed:
                `{"window": 32}` for a file with a line `window = 16`.

        Raises:
            PolicyError: The file cannot be read, or is no policy.
        """
        self.ends_process = False
        """Whether a call that no exception ends, since it is not Python's own code, ends the process."""
        self._lock = threading.Lock()
        self._calls, self._seconds = 0, 0.0
        self._code: CodeType | None = None
        self._set = dict(set or {})
        if isinstance(source, str | os.PathLike):
            self._place = printable(os.fspath(source))
            self.name = Path(source).name
            self._code = _compiled(Path(source), self._place)
            self._make: Callable[[], Any] = self._module
        elif callable(source):
            self.name = self._place = getattr(source, "__qualname__", repr(source))
            self._make = source
        else:
            raise PolicyError(f"{source!r} is no policy. Give the path of a Python file, or a class.")
        self.name = " ".join([self.name, *(f"{key}={value}" for key, value in self._set.items())])
        self._begin()

    @property
    def calls(self) -> int:
        """How often it was asked in all replays that have ended."""
        return self._calls

    @property
    def seconds(self) -> float:
        """How long that took, in seconds."""
        return self._seconds

    @contextmanager
    def _asked(self) -> Iterator[_core.Policy]:
        """A fresh policy for one replay, whose calls end."""
        asked = self._begin()
        if self.ends_process:
            said = f"error: {self._place}: no answer within {_MOST_S:g} seconds, in code that takes no exception."
            asked.end_process_after(1.5 * _MOST_S, f"{said} Ask for less at a time.")
        try:
            with _ends_calls_of(asked), _exits_refused():
                yield asked
        finally:
            with self._lock:
                self._calls += asked.calls[1]
                self._seconds += asked.seconds

    def _begin(self) -> _core.Policy:
        try:
            with _exits_refused():
                made = self._make()
        except (Exception, SystemExit) as error:
            raise self._explain(None, error, None) from error
        for key, value in self._set.items():
            self._change(made, key, value)
        found = {name: getattr(made, name, None) for name in _FUNCTIONS}
        for name, function in found.items():
            if function is not None and not callable(function):
                raise PolicyError(f"{self._place}: {name} is no function. Write def {name}(...):")
        if not any(found.values()):
            raise PolicyError(
                f"{self._place} has none of the functions of a policy. Write def victim(units):, for one."
            )
        streams, sorts = getattr(made, "streams", None), found["moved"] or found["host"]
        if sorts and streams is None:
            raise PolicyError(f"{self._place} sorts pages into streams and has no number of them. Write streams = 2.")
        if streams is not None and not sorts:
            raise PolicyError(f"{self._place} has streams and no function that uses them. Write def moved(unit):")
        if sorts and (type(streams) is not int or streams not in _STREAMS):
            raise PolicyError(f"{self._place}: streams = {streams!r}. Give a number from 2 to 16.")
        explain = partial(self._explain_call, found)
        return _core.Policy(self.name, found["victim"], found["host"], found["moved"], streams or 0, explain)

    def _change(self, made: Any, key: str, value: str | bool | int | float) -> None:
        """Sets a parameter; a text is read as what stood there."""
        before = getattr(made, key, None)
        if type(before) not in _PARAMETERS:
            known = [
                name for name in dir(made) if type(getattr(made, name)) in _PARAMETERS and not name.startswith("_")
            ]
            has = f"It has: {', '.join(known)}." if known else "Write it in a line of its own, as in window = 16."
            raise PolicyError(f"{self._place} has no parameter {key!r}. {has}")
        kinds: dict[type, Callable[[Any], Any]] = {bool: _boolean, int: int, float: float, str: str}
        try:
            setattr(made, key, kinds[type(before)](value))
        except ValueError:
            raise PolicyError(
                f"{self._place}: {key}={value} is not of the kind of {before!r}. Give one of it."
            ) from None

    def _module(self) -> ModuleType:
        module = ModuleType(Path(self._place).stem)
        module.__file__ = self._place
        exec(self._code, module.__dict__)  # type: ignore[arg-type]
        return module

    def _explain_call(
        self, functions: dict[str, Any], name: str, raised: BaseException | None, answered: tuple[Any, str] | None
    ) -> BaseException:
        """The exception for a call that raised something, or whose answer is wrong."""
        if isinstance(raised, KeyboardInterrupt):
            return raised
        if raised is not None:
            return self._explain(functions[name], raised, name)
        answer, problem = answered or ("", "")
        example = "one of them, such as units[0]" if name == "victim" else "a stream such as 0, or 0, [1000]"
        return PolicyError(
            f"{self._at(functions[name])}, {name}: the answer {_short(answer)} {problem}. Return {example}."
        )

    def _explain(self, function: Any, raised: BaseException, name: str | None) -> PolicyError:
        import traceback

        frames = traceback.extract_tb(raised.__traceback__)
        own = [frame for frame in frames if frame.filename == self._filename(function)]
        place = f"{self._place}, line {own[-1].lineno}" if own else self._at(function)
        within = f", {name}" if name else ""
        if isinstance(raised, _EndlessError):
            problem = f"no answer within {_MOST_S:g} seconds. Is there a loop that does not end?"
        else:
            problem = f"{type(raised).__name__}: {_short(raised, str)}. Correct the policy."
        explained = PolicyError(f"{place}{within}: {problem}")
        explained.__cause__ = raised
        return explained

    def _filename(self, function: Any) -> str:
        code = self._code or getattr(function, "__code__", None)
        return code.co_filename if code else ""

    def _at(self, function: Any) -> str:
        """Where a function begins."""
        code = getattr(function, "__code__", None)
        return f"{self._place}, line {code.co_firstlineno}" if code else self._place

    def __repr__(self) -> str:
        return f"<rewear.Policy {self.name!r}>"


def _boolean(value: object) -> bool:
    if str(value).lower() not in ("true", "false"):
        raise ValueError
    return str(value).lower() == "true"


def _compiled(path: Path, place: str) -> CodeType:
    try:
        return compile(read_bytes(path, "a Python file"), place, "exec")
    except ConfigurationError as error:
        raise PolicyError(str(error)) from None
    except FileNotFoundError:
        raise PolicyError(f"There is no file {place}. Give the path of a Python file.") from None
    except OSError as error:
        raise PolicyError(f"{place} cannot be read: {error.strerror}. Name a readable Python file.") from None
    except SyntaxError as error:
        line = f", line {error.lineno}" if error.lineno else ""
        raise PolicyError(f"{place}{line}: {error.msg}. Correct the policy.") from None
    except ValueError as error:
        raise PolicyError(f"{place} is no Python: {error}. Correct the policy.") from None


def _short(value: object, form: Callable[[Any], str] = repr) -> str:
    """A value of the policy's in a message: its text may be long, or fail itself."""
    try:
        text = form(value)
    except Exception:
        text = f"of type {type(value).__name__}"
    return printable(text if len(text) <= 100 else f"{text[:100]}...")


_real_exit = os._exit
_refused: dict[int, int] = {}
"""Threads in which a policy may not end the process, with how often they were asked not to."""


def _exit(status: int) -> NoReturn:
    """In the place of `os._exit`: that of a policy would end a replay as if it had been done."""
    if threading.get_ident() in _refused and os.getpid() == _OWN_PROCESS:
        raise SystemExit(f"os._exit({status})")
    _real_exit(status)


_OWN_PROCESS = os.getpid()


@contextmanager
def _exits_refused() -> Iterator[None]:
    """Within it `os._exit` raises an exception in this thread; elsewhere, and in forks, it is what it was."""
    os._exit = _exit
    thread = threading.get_ident()
    _refused[thread] = _refused.get(thread, 0) + 1
    try:
        yield
    finally:
        _refused[thread] -= 1
        if not _refused[thread]:
            del _refused[thread]


@contextmanager
def _ends_calls_of(asked: _core.Policy) -> Iterator[None]:
    """Within it a call from this thread that takes too long raises an exception in its Python code."""
    done, caller = threading.Event(), threading.get_ident()

    def watch() -> None:
        seen, since = -1, 0.0
        while not done.wait(_MOST_S / _LOOKS):
            begun, ended = asked.calls
            if begun == ended or begun != seen:
                seen, since = begun, time.monotonic()
            elif time.monotonic() - since > _MOST_S:
                import ctypes

                seen = -1
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(caller), ctypes.py_object(_EndlessError))

    watcher = threading.Thread(target=watch, name="rewear-policy-watch", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
