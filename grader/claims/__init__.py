"""Claims that hold for attention under any contract; a kata picks them, says what they are worth, and adds its own."""
