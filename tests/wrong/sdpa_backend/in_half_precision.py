"""bfloat16 for the operator, as on a GPU."""

sdpa = F.scaled_dot_product_attention


def narrow(q, k, v, **options):
    return sdpa(*(x.bfloat16() for x in (q, k, v)), **options).to(q.dtype)


F.scaled_dot_product_attention = narrow
