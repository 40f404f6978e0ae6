"""A recorded match again: shown turn by turn, reconstructed as lines, played once more, or verified."""
