"""Folders that belong to one user alone, and the locks on what lies in them."""

import os
import stat
from pathlib import Path

from rewear.core.errors import RewearError


def private_folder(path: Path, error: type[RewearError] = RewearError) -> Path:
    """A folder that this user owns and nobody else can open, made where there is none.

    In a folder that all may write to, as the temporary one, others may have put something in its place: a folder of
    theirs or a link.

    Raises:
        RewearError: It is no folder, or belongs to somebody else, or others may write to it; of the kind given.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        found = path.lstat()
        if not stat.S_ISDIR(found.st_mode):
            raise error(f"{path} is no folder. Remove it; drives that are served and recorders lie there.") from None
        if found.st_uid != os.geteuid():
            raise error(
                f"{path} belongs to another user, who could put his own things in the place of yours. Have it removed, "
                "or set XDG_RUNTIME_DIR to a folder of your own, TMPDIR for recorders."
            ) from None
        if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise error(f"Others may write to {path} and put their things in the place of yours. Remove it.") from None
        if stat.S_IMODE(found.st_mode) != stat.S_IRWXU:
            path.chmod(stat.S_IRWXU)
    return path


def hold(path: Path, taken: str, error: type[RewearError] = RewearError) -> int:
    """Takes the lock on a file, which is made where there is none; it is held until the descriptor is closed.

    Args:
        path: The file, in a private folder.
        taken: What to say if another process holds it.
        error: The kind of error.

    Raises:
        RewearError: Another process holds it, or it cannot be made.
    """
    import fcntl  # Not on every system on which the rest of the package works.

    while True:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        try:
            lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            # Its last holder has just removed the folder.
            continue
        except OSError as problem:
            raise error(f"{path} cannot be written: {problem.strerror}. Make room there.") from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Another process may have removed the file between the two steps: then it is nobody's.
            if os.path.samestat(path.stat(), os.fstat(lock)):
                return lock
        except BlockingIOError:
            os.close(lock)
            raise error(taken) from None
        except FileNotFoundError:
            pass
        os.close(lock)
