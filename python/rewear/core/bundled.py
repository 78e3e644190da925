"""Where recordings and experiments lie: in the checkout that the package belongs to, else in the package itself."""

from pathlib import Path

from rewear.core.errors import ConfigurationError

_PACKAGE = Path(__file__).resolve().parents[1]


def bundled(folder: str) -> Path | None:
    """A folder of the repository, such as `experiments/papers`; `None` where nothing was brought along."""
    for root in (_PACKAGE.parents[1], _PACKAGE / "data"):
        if (root / "experiments" / "papers").is_dir() and (root / folder).is_dir():
            return root / folder
    return None


def recordings() -> dict[str, Path]:
    """The recorded traces that come along, by name: `day`, `home`, `mail`, `web`.

    Examples:
        >>> import rewear
        >>> "home" in rewear.recordings()
        True

    Raises:
        ConfigurationError: This installation has none.
    """
    folder = bundled("recordings")
    if folder is None:
        raise ConfigurationError("This installation has no recordings. Install a wheel of Rewear, or use a checkout.")
    return {path.stem: path for path in sorted(folder.glob("*.rwt"))}
