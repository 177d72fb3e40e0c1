"""More mistakes of the catalogue, a file for each kata, in files of their own for their length alone."""
