"""Settings: params.yaml and data/catalogue.yaml as frozen objects, paths, seeds, errors."""
