"""Folders that belong to one user alone, and the locks on what lies in them."""

import os
import stat
from pathlib import Path

from rewear.core.errors import ServeError


def private_folder(path: Path) -> Path:
    """A folder that this user owns and nobody else can open, made where there is none.

    In a folder that all may write to, as the temporary one, others may have put something in its place: a folder of
    theirs or a link.

    Raises:
        ServeError: It is no folder, or belongs to somebody else, or others may write to it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        found = path.lstat()
        if not stat.S_ISDIR(found.st_mode):
            raise ServeError(f"{path} is no folder. Remove it; sockets of live drives lie there.") from None
        if found.st_uid != os.geteuid():
            raise ServeError(
                f"{path} belongs to another user, who could answer in place of your drives. Have it removed, or set "
                "XDG_RUNTIME_DIR to a folder of your own."
            ) from None
        if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise ServeError(
                f"Others may write to {path} and could answer in place of your drives. Remove it."
            ) from None
        if stat.S_IMODE(found.st_mode) != stat.S_IRWXU:
            path.chmod(stat.S_IRWXU)
    return path


def hold(path: Path, taken: str) -> int:
    """Takes the lock on a file, which is made where there is none; it is held until the descriptor is closed.

    Args:
        path: The file, in a private folder.
        taken: What to say if another process holds it.

    Raises:
        ServeError: Another process holds it.
    """
    import fcntl  # Not on every system on which the rest of the package works.

    while True:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        try:
            lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            # Its last holder has just removed the folder.
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # The last holder may have removed the file between the two steps: then it is nobody's.
            if os.path.samestat(path.stat(), os.fstat(lock)):
                return lock
        except BlockingIOError:
            os.close(lock)
            raise ServeError(taken) from None
        except FileNotFoundError:
            pass
        os.close(lock)
