"""Drives, traces, workloads, policies and reports, and the ground that every other part stands on."""
