"""The data sets: a table of what they are and a figure of how long their documents are."""
