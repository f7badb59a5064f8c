"""Modules shared by all papers: claims, tables, figures and reading of results."""
