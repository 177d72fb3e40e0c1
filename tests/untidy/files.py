"""Python files with more in them than the answer: output, demos, tests, libraries that are not there."""

from tests.untidy.case import Case, answer, edited, script, working

PRINTS = "for tensor in (kv, q, k, v, attn_logits, attn_logits + 1, weights, weights @ v): print(tensor, tensor.shape)"
MAIN = 'if __name__ == "__main__":\n'

FILES = [
    script("prints everywhere", "plain_class", 'print("loading", flush=True)', 'DEMO\nprint(model, "\\a", out)'),
    Case(
        "prints in every call",
        "functional",
        "candidate.py",
        lambda: working("functional", "print('queries', queries.shape, queries)"),
    ),
    Case(
        "prints all of its tensors in every call, 14 MiB in the end",
        "scaffold",
        "candidate.py",
        lambda: edited("scaffold", ("        y = self.out_proj(", f"        {PRINTS}\n        y = self.out_proj(")),
    ),
    Case(
        "warns, logs and writes to stderr in every call",
        "fused_qkv",
        "candidate.py",
        lambda: (
            "import logging, sys, warnings\nlogging.basicConfig(level=logging.DEBUG)\n"
            + working(
                "fused_qkv",
                'warnings.warn("is this mask right?")',
                'logging.getLogger(__name__).warning("shape %s", tuple(x.shape))',
                'print("debug", file=sys.stderr)',
            )
        ),
    ),
    Case(
        "progress bars, at the top and in every call",
        "module",
        "candidate.py",
        lambda: (
            "from tqdm import tqdm, trange\nfrom tqdm.auto import tqdm as bar\n"
            "from tqdm.notebook import tqdm as widget\n"
            "for kind in (tqdm, bar, widget):\n    list(kind(range(3)))\n"
            + working("module", "[step for step in trange(3)]")
        ),
    ),
    script(
        "tries einops out beside the answer",
        "functional",
        "import einops",
        "assert einops.rearrange(torch.ones(2, 6), 'n (h d) -> n h d', h=3).shape == (2, 3, 2)",
    ),
    script("sleeps while loading", "scaled_dot_product", "import time\ntime.sleep(0.05)"),
    Case(
        "sleeps in every call",
        "scaled_dot_product",
        "candidate.py",
        lambda: "import time\n" + working("scaled_dot_product", "time.sleep(0.001)"),
    ),
    script("demo in the main guard", "module", after=MAIN + "    DEMO\n    raise SystemExit(1)"),
    script(
        "command line of its own in the main guard",
        "plain_class",
        "import argparse",
        "def main():\n    parser = argparse.ArgumentParser()\n    parser.add_argument('n', type=int)\n"
        "    parser.parse_args()\n\n\n" + MAIN + "    main()",
    ),
    script(
        "asks at the keyboard at the top",
        "plain_class",
        'n = int(input("how many heads? "))',
        notes=("candidate.py raised EOFError",),
    ),
    script(
        "reads the command line at the top",
        "module",
        "import sys\nseed = int(sys.argv[1])",
        notes=("candidate.py raised IndexError",),
    ),
    script(
        "matplotlib is absent",
        "functional",
        "import matplotlib_absent.pyplot as plt\nfrom tqdm_absent import tqdm",
        "def plot(w):\n    plt.imshow(w)\n    plt.show()\n\n\nplot(torch.rand(2, 2))",
        notes=(
            "candidate.py raised ModuleNotFoundError: No module named 'matplotlib_absent'; "
            "it is not installed here: the kata needs PyTorch alone (candidate.py:1 ",
        ),
    ),
    script(
        "a helper of its own package",
        "functional",
        after="from .helper import plot\nfrom . import other",
        notes=(
            "candidate.py raised ImportError: attempted relative import with no known parent package; one file alone "
            "is graded: move the other one's code into it (candidate.py:",
        ),
    ),
    script(
        "absent libraries in a try",
        "plain_class",
        "try:\n    from tqdm_absent import tqdm\n    import einops_absent\nexcept ImportError:\n    tqdm = list",
        "for _ in tqdm(range(2)):\n    DEMO",
    ),
    script(
        "own test fails before the rest is defined",
        "scaled_dot_product",
        "import torch\nassert torch.allclose(torch.ones(1), torch.zeros(1)), 'to do'",
        notes=("candidate.py raised AssertionError: to do (candidate.py:2",),
    ),
    script(
        "own tests as functions and as a unittest",
        "fused_qkv",
        "import unittest",
        "def test_shape():\n    DEMO\n    assert out.shape == x.shape\n\n\nclass Test(unittest.TestCase):\n"
        "    def test_it(self):\n        test_shape()\n\n\ntest_shape()\n" + MAIN + "    unittest.main()",
    ),
    script(
        "leaves with exit() at the end",
        "functional",
        after="DEMO\nexit()",
        notes=("candidate.py raised SystemExit",),
    ),
    script(
        "an older broken version below exit()",
        "plain_class",
        after="import sys\nsys.exit(0)\n\n\nclass MultiHeadAttention:\n    pass",
        notes=("candidate.py raised SystemExit",),
    ),
    script(
        "an older broken version above",
        "module",
        "import torch.nn as nn\n\n\nclass MultiHeadAttention(nn.Module):\n"
        "    def forward(self, q):\n        return q\n",
    ),
    script(
        "writes files in a demo",
        "fused_qkv",
        after="import pickle, tempfile\nDEMO\nwith tempfile.NamedTemporaryFile() as file:\n"
        "    torch.save(model, file)\n    pickle.dump(model, file)",
        notes=None,
    ),
    script(
        "a log file before the definitions",
        "scaled_dot_product",
        "import logging\nlogging.basicConfig(filename='/nowhere/run.log')",
        notes=("candidate.py raised ",),
    ),
    script(
        "threads in a demo, joined",
        "plain_class",
        after="import threading\n\n\ndef demo():\n    DEMO\n\n\n"
        "threads = [threading.Thread(target=demo) for _ in range(2)]\n"
        "[t.start() for t in threads]\n[t.join() for t in threads]",
        notes=None,
    ),
    script(
        "trained for a while in a demo",
        "scaffold",
        after="torch.manual_seed(0)\nDEMO\nopt = torch.optim.SGD(model.parameters(), lr=0.01)\nfor step in range(20):\n"
        "    loss = model(x)[0].square().mean()\n    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"
        "for p in model.parameters():\n    p.requires_grad_(False)\nprint(loss.item())",
    ),
    script(
        "compared with PyTorch in a demo",
        "module",
        after="import torch.nn.functional as F\nDEMO\nF.scaled_dot_product_attention(x, x, x)\n"
        "nn.MultiheadAttention(8, 2, batch_first=True)(x, x, x)",
    ),
    script(
        "numpy beside torch",
        "scaled_dot_product",
        "import numpy as np\nnp.random.seed(0)\nnp.seterr(all='raise')",
        "DEMO\nprint(np.allclose(out.numpy(), out.numpy()))",
    ),
    script(
        "star imports",
        "fused_qkv",
        "from math import *\nfrom torch.nn import *\nfrom torch.nn.functional import *\n"
        "from torch import *\nfrom typing import *",
    ),
    script(
        "names of builtins taken",
        "functional",
        "import torch\ninput = torch.rand(2, 3)\nlist = [1]\nsum = id = max = type = print = None",
    ),
    script(
        "docstrings in any script",
        "plain_class",
        '"""注意力 внимание توجّه \u200b ½ 🤖"""',
        "α = β1 = 'naïve'\nДЛИНА = len(α)",
    ),
    script("very long lines", "plain_class", f"DATA = [{', '.join(['0.125'] * 20000)}]", "# " + "x" * 100000),
    script("form feeds and trailing spaces", "module", "\f\nimport os   \n\f", "x = 1;  \n   \n\f"),
    script(
        "hooks for signals and for the end",
        "functional",
        "import atexit, signal\natexit.register(print, 'bye')\nsignal.signal(signal.SIGTERM, lambda *a: None)\n"
        "signal.signal(signal.SIGALRM, signal.SIG_IGN)",
    ),
    Case(
        "exported from Colab as Python",
        "fused_qkv",
        "Copy of MHA (2).py",
        lambda: (
            '# -*- coding: utf-8 -*-\n"""Copy of MHA\n\nAutomatically generated by Colab.\n"""\n\n'
            '# !pip install torch\n#@title Answer { run: "auto" }\nheads = 8 #@param {type:"integer"}\n'
            + answer("fused_qkv")
        ),
    ),
    Case(
        "exported from Colab as Python, with its shell commands as they were",
        "functional",
        "mha.py",
        lambda: (
            '"""mha.ipynb"""\n\n!pip install -q einops \\\n  torch\nif True:\n    !nvidia-smi\n# %matplotlib inline\n'
            + answer("functional")
            + "\n%time x = 1\nwrong = x + 'a'\n"
        ),
        ("mha.py raised TypeError: unsupported operand type(s) for +: 'int' and 'str' (mha.py:61 ",),
    ),
    Case(
        "exported by nbconvert",
        "scaled_dot_product",
        "Untitled-1.py",
        lambda: (
            "#!/usr/bin/env python\n# coding: utf-8\n\n# In[1]:\n\n\n"
            "get_ipython().run_line_magic('matplotlib', 'inline')\n"
            "get_ipython().system('pip install torch')\n\n# In[ ]:\n\n\n"
            + answer("scaled_dot_product")
            + "\n\ndisplay(1)\n"
        ),
    ),
    Case(
        "cells of VS Code",
        "plain_class",
        "Interactive-1.py",
        lambda: (
            "from IPython import get_ipython\n#%%\nget_ipython().run_line_magic('cd', '..')\n"
            + answer("plain_class")
            + "\n# %% [markdown]\n# # Notes\n#%%\nx = torch.rand(1)\nx\n"
        ),
    ),
    Case(
        "left over markers and a stub's text",
        "module",
        "my module.py",
        lambda: edited("module", ("super().__init__()\n", "super().__init__()\n        # TODO: write this\n")),
    ),
]
