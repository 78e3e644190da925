"""Libraries that not every command needs, and the extras that bring them."""

_EXTRAS = {
    "dask": "cluster",
    "distributed": "cluster",
    "numpy": "plots",
    "pyarrow": "parquet",
    "scipy": "twins",
    "vl_convert": "plots",
}


def remedy(error: ImportError) -> str | None:
    """The package to install for a library that is missing; `None` if it is none of ours."""
    library = (error.name or "").partition(".")[0]
    extra = _EXTRAS.get(library)
    if extra is None:
        return None
    return f"This needs {library}, which is not installed. Install it with: pip install 'rewear[{extra}]'."
