"""What the ratings share: matches as evidence, the model, its fit, and how sure it is."""
