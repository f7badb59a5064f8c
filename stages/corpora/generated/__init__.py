"""Synthetic data sets, generated from a seed."""
