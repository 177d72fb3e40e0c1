"""What the judge alone knows: a right test, its mistakes, the section of each step, and what to ask."""

from grader.claims.hidden.testing import ExaminedKey
from grader.katas.write_fp16_stability_test.hidden.attentions import examined
from grader.katas.write_fp16_stability_test.hidden.checker import TEST
from grader.katas.write_fp16_stability_test.hidden.mistakes import MISTAKES
from grader.oracle.sections import Section

RANGE = Section("Large scores", "Which step of attention leaves the range of float16 first, and which inputs show it?")
SUMS = Section("Long sums", "From how many equal terms on does a sum in float16, or in bfloat16, grow no more?")
MASKING = Section("Masks", "Which number hides a key in float16, whatever the scores are?")
DTYPES = Section("Two half precisions", "What does bfloat16 have that float16 lacks, and the other way round?")
DIGITS = Section("Error on the mean", "What is an output in half precision compared with, and how near must it be?")
KEY = ExaminedKey(
    TEST,
    MISTAKES,
    {
        "dtypes": DTYPES,
        "large": RANGE,
        "long": SUMS,
        "hides": MASKING,
        "expected": DIGITS,
        "agree": DIGITS,
        "refused": DIGITS,
    },
    questions={
        "runs": "What does assert raise, and what does a function return that has no return?",
        "right ones accepted": "What do stable implementations do differently, and how far apart may that take them?",
        "wrong ones caught": "Which inputs bring out each step of attention that breaks in half precision?",
        "leaves no trace": "What has changed in torch after your test, and after a refusal?",
    },
    examined=examined,
)
