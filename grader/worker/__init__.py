"""The worker, a process of its own: runs a submission, answers the judge's requests, decides nothing."""
