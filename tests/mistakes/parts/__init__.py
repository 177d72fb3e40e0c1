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
