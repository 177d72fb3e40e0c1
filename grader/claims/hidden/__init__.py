"""Claims that a kit does not show: they need the oracle, or their source shows how a thing is written."""
