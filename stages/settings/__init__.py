"""Settings of the whole project: params.yaml as frozen objects, paths, seeds, refusals."""
