"""Notebooks as they come back from Colab and elsewhere: forms, magics with an effect, cells run in another order."""

from tests import fakes
from tests.untidy.case import Case, answer, book


def exported(kata: str) -> str:
    """By nbconvert, the answer below `%%time`."""
    magic = f"get_ipython().run_cell_magic('time', '', {answer(kata)!r})"
    return f"#!/usr/bin/env python\n# coding: utf-8\n\n# In[1]:\n\n\n{magic}\n\n\n# In[2]:\n\n\n1 / 0\n"


RETURNED = [
    Case(
        "the answer written to a file and imported from there",
        "fused_qkv",
        "candidate.ipynb",
        lambda: fakes.notebook(
            "%load_ext autoreload\n%autoreload 2",
            "%%writefile mha.py\nfrom __future__ import annotations\n" + answer("fused_qkv"),
            "import torch\nimport mha\nfrom mha import EfficientMultiHeadAttention as Layer",
            "x = torch.rand(2, 5, 8)\nmha.EfficientMultiHeadAttention(8, 2)(x)\nLayer(8, 2)(x)\n%run mha.py",
        ),
    ),
    Case(
        "the answer in a file of a folder, imported from there and reloaded",
        "module",
        "candidate.ipynb",
        lambda: fakes.notebook(
            "%mkdir src",
            "%%writefile src/mha.py\n" + answer("module"),
            "import importlib\nfrom src import mha\nimportlib.reload(mha)\nmha.MultiHeadAttention(8, 2)",
        ),
    ),
    Case(
        "the answer in a file of a folder, run from there",
        "plain_class",
        "candidate.ipynb",
        lambda: fakes.notebook("%%file -a src/layers.py\n" + answer("plain_class"), "%run src/layers.py\nprint(1)"),
    ),
    Case(
        "imports and a model that were timed",
        "module",
        "candidate.ipynb",
        lambda: fakes.notebook(
            "%time import math, torch; from torch import Tensor, nn",
            answer("module").replace("import math\n\nimport torch\nfrom torch import Tensor, nn\n", ""),
            "%time model = MultiHeadAttention(8, 2)\nprint(model)\n%time this is no Python",
        ),
    ),
    book(
        "forms and magics of Colab",
        "scaffold",
        (
            '#@title Setup { display-mode: "form" }\n%%capture\n!pip install -q einops\nimport sys, torch\n'
            "if 'google.colab' in sys.modules:\n    !nvidia-smi\n    from google.colab import drive\n"
            "    drive.mount('/content/drive')\n    %cd /content\nelse:\n    try:\n"
            "        from google.colab import files\n    except ImportError:\n        print('local')\n"
            "size = 8 #@param {type:\"slider\", min:1, max:64}\ntorch.set_default_device('cpu')",
        ),
        (
            "device = 'cuda' if torch.cuda.is_available() else 'cpu'\nDEMO\nmodel = model.to(device)\n"
            "%timeit -n 2 model(x)\nmodel?\nMultiHeadAttention??",
            "%debug\n%who\n%reset -f",
        ),
    ),
    book(
        "cells in odd order, deleted names and tests of several kinds",
        "module",
        (
            "test_all()",
            "def test_all():\n    DEMO\n    assert out.shape == x.shape",
            "import torch\ndel MultiHeadAttention",
        ),
        (
            "test_all()",
            "model = MultiHeadAttention(8, 2); del model",
            "import pytest, unittest\n\nclass TestIt(unittest.TestCase):\n    def test_it(self):\n"
            "        with pytest.raises(ValueError):\n            MultiHeadAttention(7, 2)\n"
            "unittest.main(argv=[''], exit=False)",
        ),
        notes=("cell 1 raised NameError", "cell 3 raised NameError: name 'MultiHeadAttention'"),
    ),
    book(
        "a model saved, a temporary file and a subprocess",
        "scaffold",
        (),
        (
            "DEMO\ntorch.save(model.state_dict(), 'x.pt')",
            "import tempfile\ntempfile.gettempdir()",
            "import subprocess\nsubprocess.run(['nvidia-smi'])",
        ),
        notes=None,
    ),
]
