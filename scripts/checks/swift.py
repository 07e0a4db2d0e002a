# SPDX-License-Identifier: Apache-2.0
"""Reads Swift source, as far as the checks need it: code without comments and strings."""

import re

# What ends a stretch of code: a comment, a string (raw or not, of one line or more), or a parenthesis.
MARK = re.compile(r'//[^\n]*|/\*|(?P<hashes>#*)(?P<quote>"""|")|[()]')
COMMENT = re.compile(r"/\*|\*/|\n")


def code(text):
    """`text` without comments and without the contents of strings, except for the code in their interpolations. Every line
    keeps its number. Regex literals are not known."""
    kept = []
    _keep_code(text, 0, kept, is_interpolation=False)
    return "".join(kept)


def _keep_code(text, at, kept, is_interpolation):
    """Keeps the code from `at` to the end, or to the parenthesis that ends the interpolation. Returns where that is."""
    depth = 0
    while mark := MARK.search(text, at):
        kept.append(text[at:mark.start()])
        at = mark.end()
        if mark["quote"]:
            at = _keep_interpolations(text, at, mark["hashes"], mark["quote"], kept)
        elif mark[0] == "/*":
            at = _skip_comment(text, at, kept)
        elif mark[0] == ")" and depth == 0 and is_interpolation:
            return mark.start()
        elif mark[0] in "()":
            depth += 1 if mark[0] == "(" else -1
            kept.append(mark[0])
    kept.append(text[at:])
    return len(text)


def _skip_comment(text, at, kept):
    """Skips a comment, which may contain others. Keeps a space and the ends of its lines."""
    depth = 1
    kept.append(" ")
    while depth and (mark := COMMENT.search(text, at)):
        at = mark.end()
        depth += {"/*": 1, "*/": -1, "\n": 0}[mark[0]]
        if mark[0] == "\n":
            kept.append("\n")
    return len(text) if depth else at


def _keep_interpolations(text, at, hashes, quote, kept):
    """Keeps the quotes of a string, the ends of its lines, and its interpolations in parentheses."""
    mark = re.compile(rf"\\{hashes}(?P<code>\()|\\{hashes}(?=\n)|\\{hashes}.|(?P<end>{quote}{hashes})|\n")
    kept.append('"')
    while found := mark.search(text, at):
        at = found.end()
        if found["code"]:
            kept.append("(")
            at = _keep_code(text, at, kept, is_interpolation=True) + 1
            kept.append(")")
        elif found["end"]:
            break
        elif found[0] == "\n":
            kept.append("\n")
    kept.append('"')
    return at
