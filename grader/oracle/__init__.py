"""What the judge alone knows: programs that are right, as named steps, and the catalogue of mistakes in them."""
