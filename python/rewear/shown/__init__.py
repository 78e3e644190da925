"""Screens of products: for each the tables of the terminal, and a page of the same with charts."""
