"""Drives on sale: the classes that stand for them and what they are rated for."""
