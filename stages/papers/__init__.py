"""Tables, figures and claims: one folder per paper, and `data` for the data sets themselves."""
