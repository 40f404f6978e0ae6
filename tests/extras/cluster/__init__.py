"""Tests of many machines."""
