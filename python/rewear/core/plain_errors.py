"""Messages about a drive's description in the words of its file: no types of the compiled core, and a near key."""

import difflib
import re

_TYPES = {
    r"u8|u16|u32|u64|usize": "a whole number of 0 or more",
    r"i8|i16|i32|i64|isize": "a whole number",
    r"f32|f64": "a number",
    r"a sequence": "a list",
    r"a map|(?:struct|internally tagged enum|enum) \w+": "a table",
    r"a boolean": "true or false",
    r"a string": "a text",
}
_GIVEN = {
    "string": "the text", "integer": "the number", "floating point": "the number", "boolean": "the truth value",
    "sequence": "a list", "map": "a table",
}  # fmt: skip
_UNKNOWN = re.compile(r"unknown (field|variant) `([^`]*)`, expected (?:one of )?((?:`[^`]*`(?:, | or )?)+)")


def in_plain_words(message: str) -> str:
    """`message` with what the core's libraries say about types and names put in the words of TOML."""
    message = _UNKNOWN.sub(_unknown, message)
    for types, words in _TYPES.items():
        message = re.sub(rf"expected (?:{types})(?!\w)", f"expected {words}", message)
    for kind, words in _GIVEN.items():
        message = re.sub(rf"invalid (?:type|value): {kind}(?= [\"`]|,)", f"wrong value: {words}", message)
    return re.sub(r"missing field `([^`]*)`", r"the key `\1` is missing", message)


def _unknown(match: re.Match[str]) -> str:
    what, given, listed = match.groups()
    known = re.findall(r"`([^`]*)`", listed)
    near = difflib.get_close_matches(given, known, n=1)
    hint = f" Did you mean `{near[0]}`?" if near else ""
    noun = "key" if what == "field" else "word"
    return f"unknown {noun} `{given}`.{hint} Known here: {', '.join(known)}"
