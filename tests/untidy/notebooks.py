"""Notebooks with more in them than the answer: magics, plots, tests that fail, older versions."""

from tests import fakes
from tests.untidy.case import Case, answer, book, cells, edited, filled

MAGICS = """%matplotlib inline
%pip install torch
!pip install einops
%cd /content
files = !ls -la
where = %pwd
torch.softmax?
?torch.softmax
%config InlineBackend.figure_format = 'retina'
%load_ext autoreload
%autoreload 2
x = 1;"""


def separate(kata: str) -> str:
    """Each statement's imports, helpers and answer in cells of their own, with trials between."""
    demo = filled("DEMO", kata)
    return fakes.notebook(
        "import math\nimport torch", "from torch import nn, Tensor", *cells(kata), demo, "out.shape", ""
    )


NOTEBOOKS = [
    book(
        "magics and shell commands",
        "scaffold",
        ("import torch\n" + MAGICS,),
        ("%time y = 3\n%timeit -n 1 sum([1])",),
    ),
    Case(
        "timed and captured cells",
        "module",
        "candidate.ipynb",
        lambda: fakes.notebook("%%time\n" + answer("module"), "%%capture\nprint(1)", "%%timeit -n1 -r1\nx = 1"),
    ),
    book(
        "cells for other programs",
        "functional",
        ("%%bash\nnvidia-smi", "%%html\n<b>x</b>", "%%writefile mha.py\nclass A:"),
        ("%%javascript\nalert(1)",),
    ),
    book(
        "own tests that fail",
        "fused_qkv",
        ("assert 1 == 2, 'not yet'",),
        (
            "DEMO\nassert out.sum() == 0",
            "def test():\n    raise ValueError('deliberate')\n\n\ntest()",
            "print('last')",
        ),
        notes=(
            "cell 1 raised AssertionError: not yet",
            "cell 3 raised AssertionError (cell 3:4 in <module>: ",
            "cell 4 raised ValueError: deliberate",
        ),
    ),
    book(
        "a cell that is no Python",
        "plain_class",
        ("class Attention:\n    def forward(self\n",),
        ("Notes: to do",),
        notes=None,
    ),
    book("a name not defined yet", "module", ("DEMO",), ("DEMO",), notes=("cell 1 raised NameError",)),
    book(
        "plots where matplotlib is absent",
        "scaled_dot_product",
        ("import matplotlib_absent.pyplot as plt\nimport torch",),
        ("DEMO\nplt.imshow(out[0])\nplt.show()",),
        notes=("cell 1 raised ModuleNotFoundError", "cell 3 raised NameError: name 'plt'"),
    ),
    book(
        "plots by the real matplotlib",
        "scaled_dot_product",
        ("import matplotlib.pyplot as plt\nimport torch",),
        (
            "DEMO\nfig, ax = plt.subplots(1, 2)\nfig.colorbar(ax[0].imshow(out[0]))\nax[1].plot(out[0, 0])\n"
            "ax[1].set_title('out')\nplt.show()",
        ),
    ),
    book(
        "a picture saved to a file",
        "module",
        ("import matplotlib.pyplot as plt\nimport torch",),
        ("plt.plot([1, 2])\nplt.title('w')\nplt.tight_layout()\nplt.savefig('weights.png')",),
        notes=("cell 3 raised PermissionError: [Errno 1] Operation not permitted: 'weights.png'",),
    ),
    book(
        "a part that its library does not have",
        "module",
        ("import torch.no_such_part",),
        notes=(
            "cell 1 raised ModuleNotFoundError: No module named 'torch.no_such_part'; it could not be imported inside "
            "the sandbox: the kata needs PyTorch alone",
        ),
    ),
    Case(
        "an absent library in the answer's own cell",
        "plain_class",
        "candidate.ipynb",
        lambda: fakes.notebook("import seaborn_absent as sns\n" + answer("plain_class") + "\nsns.heatmap([[1]])"),
        notes=("cell 1 raised ModuleNotFoundError: No module named 'seaborn_absent'; it is not",),
    ),
    Case(
        "a trial that fails in the answer's own cell",
        "functional",
        "candidate.ipynb",
        lambda: fakes.notebook("assert False, 'to do'\n" + answer("functional")),
        notes=("cell 1 raised AssertionError",),
    ),
    book(
        "display and get_ipython",
        "fused_qkv",
        (
            "get_ipython().run_line_magic('matplotlib', 'inline')\n"
            "ip = get_ipython()\nip.ast_node_interactivity = 'all'",
        ),
        ("DEMO\ndisplay(out, display_id=True)\nfrom IPython.display import clear_output, display\ndisplay(model)",),
        notes=None,
    ),
    Case(
        "the answer twice",
        "plain_class",
        "candidate.ipynb",
        lambda: fakes.notebook(*2 * cells("plain_class")),
    ),
    Case(
        "an older broken version kept above",
        "functional",
        "candidate.ipynb",
        lambda: fakes.notebook(edited("functional", ("math.sqrt(heads[1])", "heads[1]")), answer("functional")),
    ),
    Case(
        "a stub left above, the answer in a new cell",
        "scaled_dot_product",
        "candidate.ipynb",
        lambda: fakes.notebook(
            "def scaled_dot_product_attention(q, k, v, mask=None):\n    raise NotImplementedError('write this')",
            "# my answer",
            answer("scaled_dot_product"),
        ),
    ),
    Case("in many cells, with trials between", "module", "candidate.ipynb", lambda: separate("module")),
    Case(
        "annotations postponed in another cell",
        "fused_qkv",
        "candidate.ipynb",
        lambda: fakes.notebook(
            "from __future__ import annotations",
            edited("fused_qkv", ("mask: Tensor |", "mask: Array['b l'] |")),
        ),
    ),
    book("asks at the keyboard", "functional", ("name = input('name: ')",), notes=("cell 1 raised EOFError",)),
    book(
        "leaves with exit() or quit()",
        "scaled_dot_product",
        ("exit()", "quit()"),
        ("import sys\nsys.exit('done')",),
        notes=("cell 1 raised SystemExit", "cell 2 raised SystemExit", "cell 4 raised SystemExit"),
    ),
    book(
        "a mounted drive",
        "module",
        ("from google.colab import drive\ndrive.mount('/content/drive')",),
        notes=("cell 1 raised ",),
    ),
    book("renamed by a browser", "plain_class", file="my mha (1).ipynb"),
    book("renamed in another script", "fused_qkv", file="注意力 — финал.IPYNB"),
    book("empty cells and comments", "plain_class", ("", "   \n", "# nothing"), ("", "pass", "...")),
    book("pasted prompts", "functional", (">>> x = 1\n>>> x\n", "In [3]: y = 2"), notes=None),
]
