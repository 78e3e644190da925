"""Drives set side by side: the table, its verdict, lives, and what no drive can do better."""
