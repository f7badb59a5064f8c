"""Encoders: embedded tokens (B, T, E) to states (B, T, H) and a summary (B, H); one per file."""
