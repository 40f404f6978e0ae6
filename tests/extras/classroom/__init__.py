"""Tests of classes: people, downloads and grades."""
