"""The static report: a scoreboard, a page per paper, the grid, examples, data, run and speed."""
