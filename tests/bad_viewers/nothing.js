// It has nothing that a viewer needs.
