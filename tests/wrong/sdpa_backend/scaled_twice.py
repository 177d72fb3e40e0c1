"""The queries are divided by sqrt(D) before SDPA divides their scores."""

sdpa = F.scaled_dot_product_attention
F.scaled_dot_product_attention = lambda q, k, v, **options: sdpa(q / math.sqrt(q.shape[-1]), k, v, **options)
