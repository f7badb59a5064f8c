"""Amini & Kosseim 2022: how faithful is attention if an adversary is trained against it."""
