"""Edits of our solution of `module`: mistakes that it is the first kata to have, and what has no name."""

from tests.mistakes import edit, in_words

MERGE = "x.transpose(1, 2).flatten(2)"
MIX = "self.dropout(weights) @ V, weights"
UNDROPPED = "self.W_O(self._combine_heads(attended))"
OUT = f"self.dropout({UNDROPPED})"
GIVEN = "return output, weights if return_attention else None"
DROPPED = "nn.functional.dropout"
KEEP = "(1 - self.dropout.p) * self.training"
OUT_ALWAYS = (OUT, f"{DROPPED}({UNDROPPED}, self.dropout.p)")
LAYER_Q = "self.W_Q = nn.Linear(d_model, d_model, bias=bias)"


def returning(weights: str) -> tuple[str, str]:
    """Other weights returned."""
    return GIVEN, f"return output, {weights} if return_attention else None"


EDITS = (
    edit("weights_averaged", returning("weights.mean(dim=1)")),
    edit("weights_of_first_head_for_all", returning("weights[:, :1].expand_as(weights)")),
    edit("weights_of_last_head_for_all", returning("weights[:, -1:].expand_as(weights)")),
    edit("no_output_dropout", (OUT, UNDROPPED)),
    edit("dropout_on_output_twice", (OUT, f"self.dropout({OUT})")),
    edit("dropout_keeps_p_of_weights", (MIX, f"{DROPPED}(weights, {KEEP}) @ V, weights")),
    edit("dropout_keeps_p_of_output", (OUT, f"{DROPPED}({UNDROPPED}, {KEEP})")),
    edit("output_dropout_off_when_asked", (OUT, f"{UNDROPPED} if return_attention else {OUT}")),
    edit("output_dropout_off_unless_asked", (OUT, f"{OUT} if return_attention else {UNDROPPED}")),
    edit("output_dropout_in_eval", OUT_ALWAYS),
    edit("both_dropouts_in_eval", (MIX, f"{DROPPED}(weights, self.dropout.p) @ V, weights"), OUT_ALWAYS),
    edit("no_dropout_at_all", (MIX, "weights @ V, weights"), (OUT, UNDROPPED)),
    edit("dropout_before_output_projection", (OUT, "self.W_O(self.dropout(self._combine_heads(attended)))")),
)

IN_WORDS = (
    in_words(
        "no bias although asked for",
        "number_of_parameters",
        "parameters that are missing",
        "none",
        (LAYER_Q, LAYER_Q.replace("=bias", "=False")),
        ("                nn.init.zeros_(layer.bias)", "                pass"),
    ),
    in_words(
        "a layer too many",
        "number_of_parameters",
        "number of parameters",
        "1368",
        (LAYER_Q, f"{LAYER_Q}\n        self.extra = nn.Linear(d_model, d_model)"),
    ),
    in_words(
        "no extra_repr",
        "extra_repr_names_the_sizes",
        "d_model=18 in extra_repr",
        "d_model=18",
        ("    def extra_repr", "    def another_repr"),
    ),
)

WITHOUT_A_NAME = {
    "a bias although none was asked for": ((LAYER_Q, LAYER_Q.replace("=bias", "=True")),),
    "a call is remembered": (
        (
            GIVEN,
            f"self.calls = getattr(self, 'calls', [])\n        self.calls.append(len(query))\n"
            f"        output = output * (2 if 3 in self.calls[:-1] and len(query) == 2 else 1)\n        {GIVEN}",
        ),
    ),
}
