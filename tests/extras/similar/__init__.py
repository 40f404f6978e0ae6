"""Tests of similar programs."""
