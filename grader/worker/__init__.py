"""The other process: runs a submission, answers requests, decides nothing."""
