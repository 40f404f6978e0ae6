"""Tests of pictures of matches."""
