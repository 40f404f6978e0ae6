"""A recorded match again: shown by turns, reconstructed as lines, played once more, or verified."""
