"""Words of the function's name, source and closure are looked at."""

import inspect


def check_fp16_stability(attention):
    text = attention.__name__ + repr(attention) + str(inspect.signature(attention))
    text += " ".join(str(cell.cell_contents) for cell in attention.__closure__ or ())
    assert "wrong" not in text.lower()
    assert "nan" not in text.lower()
