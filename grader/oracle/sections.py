"""What each step of the pipeline is about: its section in the notebooks, and questions for an interviewer to ask."""

from dataclasses import dataclass

from grader.checks import tiers


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of the notebooks, the same in every kata that has it."""

    heading: str
    question: str

    @property
    def anchor(self) -> str:
        """The heading as a link's fragment, the way JupyterLab writes it."""
        return self.heading.replace(" ", "-")


GRADIENTS = Section(
    "Gradients", "Which inputs and parameters must the loss reach, and how would you find the place where a path ends?"
)
HEADS = "Heads"
ROTATION = ("positions", "frequencies", "angles", "partner", "turn", "rotate")
"""The steps of a rotary position embedding."""
BY_STEP = {
    "project": Section(
        "Projections", "What are queries, keys and values each for, and what is lost when one stands in for another?"
    ),
    "split": Section(
        HEADS, "In what order do a token's features lie in memory, and what does a view to (N, H, L, D) make of it?"
    ),
    **dict.fromkeys(
        ROTATION,
        Section("Rotation", "By which angle is a feature of token t turned, and why do scores know distances alone?"),
    ),
    "score": Section("Scores", "What does one entry of the scores say, and over which axis was it summed?"),
    "scale": Section(
        "Scores", "What happens to the softmax, and to its gradient, when D grows and the scores are not divided?"
    ),
    "mask": Section(
        "Masks", "Which score gives a hidden key a weight of exactly 0, and why is it set before the softmax?"
    ),
    "later_keys": Section(
        "Masks", "With more keys than queries, which keys may the last query see, and where does the triangle begin?"
    ),
    "softmax": Section("Weights", "Over which axis do the weights sum to 1, and what comes out of a fully masked row?"),
    "dropout": Section(
        "Dropout", "What is the mean of a weight after dropout in train mode, and what does eval mode do to it?"
    ),
    "weighted_sum": Section("Weights", "Why is an output a mean of the values, and when does it stop being one?"),
    "merge": Section(HEADS, "How do you see to it that the merge undoes the split, and what would a view alone mix?"),
    "project_out": Section("Projections", "What could the heads not do together without the output projection?"),
    "drop_output": Section("Dropout", "What does dropout on the output hide that dropout on the weights does not?"),
    "give": Section("Weights", "What would you read from the weights returned, and what must a row of them sum to?"),
    "causal": Section(
        "Masks", "Which keys may the first query see, and where does the triangle start with more keys than queries?"
    ),
}
"""The section of each step, by the step's name in `pipeline.Steps`."""

BY_TIER = {
    tiers.SHAPES.name: "With L queries and S keys, which shapes have the scores and the output?",
    tiers.WEIGHT_SUMS.name: "Over which axis do the weights sum to 1, and what if they did so over another axis?",
    tiers.PADDING.name: "Why are padded keys hidden before the softmax, and padded queries not at all?",
    tiers.CAUSAL.name: "Which keys may query t see, and what would training show if it saw one more?",
    tiers.NAN_SAFETY.name: "What is the softmax of a fully masked row, and where does the NaN go?",
    tiers.PARITY.name: "Your output differs from PyTorch's: how would you find the first step that does?",
    tiers.GRADIENTS.name: "Which inputs and parameters must get a gradient, and how would you check one?",
    tiers.INTERFACE.name: "What does the constructor promise, and what breaks for a caller where it is not kept?",
}
"""The question for a failed tier in which no mistake is named, by the tier's name; a kata may have another one."""
