"""Starts threads, which would go on while the judge waits for an answer."""

BESIDE = "right"
LAYER = "seccomp"
REFUSAL = {"seccomp": "can't start new thread"}
TOGETHER = ("limits", "privileges")

import threading
import time

for _ in range(4):
    threading.Thread(target=time.sleep, args=(0.2,), daemon=True).start()
print("GOT", threading.active_count(), "threads")
