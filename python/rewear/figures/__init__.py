"""Figures: the book of those of reports, their units, texts and uncertainty."""
