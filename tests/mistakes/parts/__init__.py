"""What mistakes change in our solutions, a file for each kata; here what several of them change to."""

WRONG_BACKWARD = """class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores):
        weights = torch.softmax(scores, dim=-1)
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.saved_tensors[0]


"""
"""A softmax whose own backward leaves out the sum over the keys."""

MASKED = "torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0)"
FILLED_WHERE_INF = (MASKED, "torch.softmax(scores, dim=-1).masked_fill(scores == -math.inf, 0.0)")
IN_FLOAT32 = "torch.softmax(scores.float(), dim=-1).to(scores.dtype)"
OVER_BATCH = "torch.softmax(scores, dim=0)"
BY_LARGEST = "((scores - scores.max()).exp() / (scores - scores.max()).exp().sum(-1, keepdim=True))"
BY_LARGEST_OF_MATRIX = BY_LARGEST.replace("max()", "amax((-2, -1), keepdim=True)")
POWERS = "(scores - scores.amax(-1, keepdim=True)).exp()"
CLEARED = "(torch.zeros_like(scores) if scores.softmax(-1).isnan().any() else scores.softmax(-1))"
SPREAD = "(scores.softmax(-1) + 0 * scores.softmax(-1).sum())"
"""Where the scores are called so, and what is hidden."""


def first_alone(output: str) -> str:
    """The answer to the first sequence, and zeros for all others."""
    return f"torch.cat([(given := {output})[:1], torch.zeros_like(given[1:])])"


def first_for_all(output: str) -> str:
    """The answer to the first sequence, for each."""
    return f"(given := {output})[:1].expand_as(given)"


def zeroed(values: str, indent: int) -> str:
    """Where a mask has one row for all queries, the hidden values become zeros and their keys stay."""
    then = " " * (indent + 4)
    return (
        f"if hidden.dim() > 1 and hidden.size(-2) == 1:\n"
        f"{then}{values} = {values}.masked_fill(hidden.mT, 0.0)\n"
        f"{then}hidden = torch.zeros_like(hidden)"
    )


def twice(projected: str) -> str:
    """`self.W_Q(query)` with its bias added once more."""
    bias = f"{projected[: projected.index('(')]}.bias"
    return f"({projected} + (0 if {bias} is None else {bias}))"


def frozen(projected: str) -> str:
    """`self.W_Q(query)` with weights that get no gradient."""
    layer, _, x = projected.partition("(")
    return f"nn.functional.linear({x[:-1]}, {layer}.weight.detach(), {layer}.bias)"


def of_near_keys(scores: str) -> str:
    """Scores with -inf for keys more than four places from the query."""
    places = "(torch.arange(given.size(-2))[:, None] - torch.arange(given.size(-1))).abs()"
    return f"(given := {scores}).masked_fill({places} > 4, -math.inf)"


def of_sixteen_keys(scores: str) -> str:
    """Scores with -inf for the keys after the 16th."""
    return f"(given := {scores}).masked_fill(torch.arange(given.size(-1)) >= 16, -math.inf)"


def of_four_largest(scores: str) -> str:
    """Scores with -inf for all but each query's four largest."""
    return f"(given := {scores}).masked_fill(given < given.topk(min(4, given.size(-1))).values[..., -1:], -math.inf)"
