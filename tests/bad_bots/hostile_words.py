"""Prints terminal escapes, markup and HTML as its move."""
from arena.kit import run

run(lambda turn: '\x1b[2J[red]<script>alert(1)</script>')
