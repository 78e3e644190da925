"""The HTML page of a comparison: one file, no outside resources, the same bytes for the same runs."""
