"""Models: states -> scores -> weights -> pooled -> output, built from small parts."""
