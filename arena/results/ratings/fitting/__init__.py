"""The parts that all ratings share.

They are the sums of the matches, the model, its prior and fit, the bootstrap, and the intervals.
"""
