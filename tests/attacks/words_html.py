"""Puts HTML and XML into the names, messages and documentation that a report may show."""

BESIDE = "wrong"
HONEST = 0
LAYER = "judge"
VERDICTS = ("error",)
SAYS = "script"


class Html(Exception):
    """<script>alert(1)</script>"""


Html.__name__ = Html.__qualname__ = "<script>alert(1)</script>"


def scaled_dot_product_attention(q, k, v, mask=None):
    """]]></failure><testcase name="forged"/><!-- &xxe; -->"""
    raise Html("]]></failure></testcase><testcase name='forged'/><script>alert(1)</script> &xxe; \0 \x0b")
