"""What every test may lean on."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # tests share a few helper modules (toy.py, solver.py, ...)
