"""Twins: modelled drives fitted to what real drives write, and how far off they are on what they were not fitted to."""
