"""Makes system calls by the numbers of i386, which a filter for x86_64 would take for others; here getpid."""

BESIDE = "right"
HONEST = 0
LAYER = "seccomp"
REFUSAL = {"seccomp": "SIGSYS"}
OUTCOME = "crash"
SAYS = "SIGSYS"
MACHINE = "x86_64"

import ctypes
import mmap
import os

code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes.fromhex("53b814000000cd805bc3"))  # push rbx; mov eax, 20; int 0x80; pop rbx; ret
call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
if call() == os.getpid():
    print("GOT its own number")
