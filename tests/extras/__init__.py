"""Tests of what few events use, a folder for each."""
