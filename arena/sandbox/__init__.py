"""How a child is confined: one file per level, the limits, the choice between them."""
