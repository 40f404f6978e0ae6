"""Tests of language models and disguise."""
