"""Text from outside (names of files, lines of traces) as it may stand on a terminal or in a message."""

import re

# Control characters but tab and newline, marks that turn the direction of writing, bytes of names that are not UTF-8.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    r"""`text` with everything escaped that a terminal would obey or that UTF-8 cannot express.

    Examples:
        >>> printable("red \x1b[31m")
        'red \\x1b[31m'
        >>> import os
        >>> printable(os.fsdecode(b"caf\xe9"))
        'caf\\xe9'
    """
    return _UNSAFE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    # Python keeps a byte of a name that is not UTF-8 as a surrogate.
    byte = code - 0xDC00 if 0xDC80 <= code <= 0xDCFF else code
    return f"\\x{byte:02x}" if byte < 0x100 else f"\\u{code:04x}"
