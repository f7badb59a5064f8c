"""The static site: scoreboard, a page per paper, grid, examples, data, run and benchmarks."""
