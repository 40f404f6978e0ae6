"""Tests of results from elsewhere."""
