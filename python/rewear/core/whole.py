"""Whole numbers from outside, of any length: in range, or a usage error."""

from rewear.core.errors import ConfigurationError

MOST = 2**64 - 1
"""The largest whole number that anything takes."""

# Longer ones are not repeated in messages, and Python does not read them.
_DIGITS = 40


def whole_number(name: str, value: str | int, least: int = 0, most: int = MOST) -> int:
    """The number that `value` is or spells, `name` being what it is for.

    Raises:
        ConfigurationError: It is no whole number from `least` to `most`.
    """
    text = str(value) if isinstance(value, int) and abs(value) < 10**_DIGITS else value
    if isinstance(text, str) and len(text) <= _DIGITS:
        try:
            number = int(text)
        except ValueError:
            number = None
        if number is not None and least <= number <= most:
            return number
    shown = text if isinstance(text, str) and len(text) <= _DIGITS else "a number that long"
    raise ConfigurationError(f"{name} {shown} is out of range. Give a whole number from {least} to {most}.")
