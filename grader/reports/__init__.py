"""What one run found, drawn from one record: text for reading, JSON and JUnit XML for programs."""
