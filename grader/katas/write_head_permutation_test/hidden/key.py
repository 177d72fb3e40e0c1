"""What the judge alone knows: a right test, its mistakes, the section of each step, and what to ask."""

from grader.claims.hidden.testing import ExaminedKey
from grader.katas.write_head_permutation_test.hidden.attentions import examined
from grader.katas.write_head_permutation_test.hidden.checker import TEST
from grader.katas.write_head_permutation_test.hidden.mistakes import MISTAKES
from grader.oracle.sections import Section

ORDERS = Section("Orders of heads", "Which orders of heads leave a flaw unseen, and from which are all others made?")
BLOCKS = Section("Blocks of weights", "Which rows and columns belong to head h, and which of the four biases move?")
TOKENS = Section(
    "Inputs that show it", "How many sequences, tokens and numbers other than zero does a flaw need to show?"
)
DIGITS = Section("Equal but for rounding", "How far apart may two right outputs be, and how near a wrong one?")
KEY = ExaminedKey(
    TEST,
    MISTAKES,
    {
        "orders": ORDERS,
        "permuted": BLOCKS,
        "features": BLOCKS,
        "tokens": TOKENS,
        "begin": TOKENS,
        "agree": DIGITS,
        "refused": DIGITS,
    },
    questions={
        "runs": "What does assert raise, and what does a function return that has no return?",
        "right ones accepted": "Which numbers of a module belong to a head, and what else did you ask?",
        "wrong ones caught": "How would you find a flaw that your orders, inputs and tolerance cannot see?",
        "leaves no trace": "What has changed in the module and in torch after your test, and after a refusal?",
    },
    examined=examined,
)
