"""Attention on Trial: the nodes of the DAG (files) and what they are made of (folders)."""
