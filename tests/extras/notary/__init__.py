"""Tests of the notary."""
