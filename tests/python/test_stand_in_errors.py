"""Errors of stand-ins, summed up."""

import pytest
from rewear.core.errors import ConfigurationError
from rewear.stand_in import SchemeWorth, Worth
from rewear.stand_in_errors import errors_of


def worth_of(trace: str, plain: float, second: float) -> Worth:
    def figures(erases: float, relative: float) -> dict[str, float | None]:
        return {"erases": erases, "relative_erases": relative, "write_ns": 5.0, "relative_write": 1.0}

    schemes = (
        SchemeWorth("plain", figures(100, 1), figures(plain, 1)),
        SchemeWorth("second-write", figures(100, 1), figures(plain, second)),
    )
    return Worth(trace, 0.28, schemes)


WORTHS = [worth_of("a", 110, 0.5), worth_of("b", 70, 1.1), worth_of("c", 95, 1.2)]


def test_errors_are_medians_and_worst_cases_whatever_their_sign() -> None:
    errors = errors_of(WORTHS)
    assert errors.traces == ("a", "b", "c")
    plain, second = errors.schemes["plain"]["erases"], errors.schemes["second-write"]["relative_erases"]
    assert (plain.median, plain.worst, plain.traces) == (pytest.approx(0.1), pytest.approx(0.3), 3)
    assert (second.median, second.worst) == (pytest.approx(0.2), pytest.approx(0.5))
    assert "relative_erases" not in errors.schemes["plain"]
    assert "erases ±10%, at worst 30%" in errors.note()
    assert "second-write" not in errors.note(["seal"])
    assert "second-write erases to the plain drive's ±20%, at worst 50%" in errors.note(["second-write"])
    with pytest.raises(ConfigurationError, match="Name at least one"):
        errors_of([])
