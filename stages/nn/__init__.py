"""Models (states -> scores -> weights -> pooled -> output), their parts and their training."""
