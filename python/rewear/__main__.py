"""`python -m rewear`: the command line."""

from rewear.cli.main import main

main()
