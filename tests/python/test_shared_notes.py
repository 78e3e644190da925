"""Notes of several drives, each said once."""

from rewear.core.shared_notes import shared_notes


def test_the_same_note_is_said_once_with_its_drives():
    assert shared_notes([("a", ["x"]), ("b", ["x", "y"])]) == [("all drives", "x"), ("b", "y")]
    assert shared_notes([("a", ["x"])]) == [("a", "x")]
    assert shared_notes([("a", ["x"]), ("b", ["x"]), ("c", [])]) == [("a, b", "x")]


def test_notes_that_differ_in_figures_become_the_worst_of_them():
    late = "The last request arrived after 2.00 s, the work was done after {} s."
    noted = [(label, [late.format(end)]) for label, end in (("a", "9.50"), ("b", "1,210.50"), ("c", "30.25"))]
    ((labels, note),) = shared_notes(noted)
    assert labels == "all drives; the figures are those of b, the largest"
    assert note == late.format("1,210.50")


def test_versions_and_codes_are_no_trouble():
    assert len(shared_notes([("a", ["1.2.3 of (1,2)"]), ("b", ["1.2.4 of (1,2)"])])) == 1
