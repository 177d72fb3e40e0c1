"""Scratch code that changes the process and does not put it back: no verdict may change."""

from tests.untidy.case import Case, book, edited, working

STATE = [
    book(
        "default dtype left, beside a test",
        "write_head_permutation_test",
        ("import torch\ntorch.set_default_dtype(torch.float64)",),
    ),
    book(
        "gradients left off, beside a test",
        "write_head_permutation_test",
        after=("torch.set_grad_enabled(False)\nDEMO",),
    ),
    book("seeded, beside a test", "write_head_permutation_test", ("import torch\ntorch.manual_seed(7)",), ("DEMO",)),
    book("another class, beside a test", "write_head_permutation_test", after=("class Attention: pass",)),
    book(
        "default dtype left, before rotation",
        "rope",
        ("import torch\ntorch.set_default_dtype(torch.float64)",),
        ("DEMO",),
    ),
    book("another function, beside rotation", "rope", ("def rotate_half(x): pass",), ("DEMO",)),
    Case(
        "angles kept from call to call",
        "rope",
        "candidate.py",
        lambda: (
            "TABLES = {}\n\n\n"
            + edited(
                "rope",
                (
                    "    angles = positions[",
                    "    key = (positions.numpy().tobytes(), positions.shape, size, base)\n    angles = positions[",
                ),
                (
                    "cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)",
                    "cos, sin = (each.to(x.dtype) for each in TABLES.setdefault(key, (angles.cos(), angles.sin())))",
                ),
            )
        ),
    ),
    Case(
        "shapes and positions printed in a rotating layer",
        "rope",
        "candidate.py",
        lambda: working("rope", "print(q.shape, positions)", "assert q.shape[-1] % 2 == 0, 'odd'"),
    ),
    book(
        "default dtype left at float64",
        "module",
        ("import torch\ntorch.set_default_dtype(torch.float64)",),
        ("DEMO",),
    ),
    book(
        "default dtype set and restored",
        "functional",
        (
            "import torch\nold = torch.get_default_dtype()\n"
            "torch.set_default_dtype(torch.float64)\ntorch.set_default_dtype(old)",
        ),
    ),
    book(
        "default tensor type left at double",
        "plain_class",
        ("import torch\ntorch.set_default_tensor_type(torch.DoubleTensor)",),
    ),
    book("gradients left off", "fused_qkv", after=("torch.set_grad_enabled(False)\nDEMO",)),
    book(
        "inference mode left on",
        "scaled_dot_product",
        after=("guard = torch.inference_mode()\nguard.__enter__()",),
    ),
    book(
        "autocast left on",
        "plain_class",
        after=("autocast = torch.autocast('cpu', dtype=torch.bfloat16)\nautocast.__enter__()\nDEMO",),
    ),
    book(
        "lower precision of products left on",
        "fused_qkv",
        after=("torch.set_float32_matmul_precision('medium')",),
    ),
    book(
        "threads set",
        "module",
        ("import torch\ntorch.set_num_threads(2)",),
        ("DEMO\ntorch.rand(300, 300) @ torch.rand(300, 300)",),
    ),
    Case(
        "threads set in each call",
        "scaffold",
        "candidate.py",
        lambda: working("scaffold", "torch.set_num_threads(torch.get_num_threads() + 1)"),
    ),
    book("deterministic algorithms left on", "functional", after=("torch.use_deterministic_algorithms(True)",)),
    book(
        "everything seeded and cudnn made deterministic at the top",
        "scaffold",
        (
            "import random\nimport numpy as np\nimport torch\nrandom.seed(0)\nnp.random.seed(0)\ntorch.manual_seed(0)\n"
            "torch.backends.cudnn.deterministic = True\ntorch.backends.cudnn.benchmark = False",
        ),
    ),
    book("anomaly detection left on", "scaled_dot_product", after=("torch.autograd.set_detect_anomaly(True)",)),
    book(
        "seeds set at the top",
        "functional",
        ("import random, torch\ntorch.manual_seed(42)\nrandom.seed(42)\nprint(torch.rand(1), random.random())",),
        ("torch.manual_seed(0)",),
    ),
    Case(
        "warnings turned into errors",
        "module",
        "candidate.py",
        lambda: "import warnings\nwarnings.simplefilter('error')\n" + working("module", "warnings.warn('deprecated')"),
    ),
    book(
        "standard output caught in a variable",
        "plain_class",
        after=("import io, sys\nsys.stdout = io.StringIO()\nprint('x')",),
    ),
    Case(
        "breakpoints left in",
        "module",
        "candidate.py",
        lambda: "import pdb\n" + working("module", "breakpoint()", "pdb.set_trace()"),
    ),
    book("garbage collection left off", "fused_qkv", after=("import gc\ngc.disable()\ngc.set_debug(0)",)),
    book(
        "print options, environment and path changed",
        "plain_class",
        (
            "import os, sys, torch\ntorch.set_printoptions(precision=2, sci_mode=False)\n"
            "os.environ['CUDA_VISIBLE_DEVICES'] = ''\nsys.path.append('..')",
        ),
    ),
]
