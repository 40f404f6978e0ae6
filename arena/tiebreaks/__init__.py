"""What places bots of equal points, by FIDE's names: one file each, with one function `of(table)`."""
