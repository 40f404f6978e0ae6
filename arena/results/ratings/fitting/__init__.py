"""The parts that all ratings share: sums of the matches, the model, its prior and fit, the bootstrap, the intervals."""
