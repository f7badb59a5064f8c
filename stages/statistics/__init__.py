"""Statistics: divergences, rank correlation, bootstrap; arrays in, numbers out."""
