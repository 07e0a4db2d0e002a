# SPDX-License-Identifier: Apache-2.0
"""Parses the transcript in docs/ipc.md so that it can be replayed.

A line begins with an arrow and continues over the indented lines below it:

    → Method {request}      a call; for a streaming method its first message or, once the call is open, a further one
    ← {answer}              the answer to the call above
    ← STATUS text           the failure of the call above
    ⇠ Method {event}        the next message of a stream
    ⇠ Method STATUS         the end of a stream

A message is `{field: value, …}`; without the `…` it has no other fields. `<name>` stands for a value that is not known
in advance; every `<name>` stands for the same value.
"""

import re
from collections.abc import Sequence

STEP = re.compile(r"(→|←|⇠) (?:([A-Z][A-Za-z]+) )?(\{.*|[A-Z_]+.*)", re.DOTALL)
TOKEN = re.compile(r'\s*("[^"]*"|<\w+>|…|-?\d+(?:\.\d+)?|\w+|[{}\[\]:,])')


class Any:
    """Stands for a value that is not known in advance."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"<{self.name}>"


class Rest:
    """Stands for further fields."""


def steps(text):
    """(arrow, method or None, message or None, status text) of every step."""
    found = []
    for block in re.split(r"\n(?=\S)", text.strip()):
        arrow, method, rest = STEP.fullmatch(re.sub(r"\n\s+", " ", block)).groups()
        is_message = rest.startswith("{")
        found.append((arrow, method, parse(rest) if is_message else None, "" if is_message else rest))
    return found


def parse(text):
    tokens, at = [], 0
    while at < len(text.rstrip()):
        token = TOKEN.match(text, at)
        assert token, f"not a message: {text[at:at + 40]}"
        tokens.append(token[1])
        at = token.end()
    value, rest = _value(tokens)
    assert not rest, f"after the message: {rest}"
    return value


def _value(tokens):
    first, tokens = tokens[0], tokens[1:]
    if first in "{[":
        found, last = {} if first == "{" else [], "}" if first == "{" else "]"
        while tokens[0] != last:
            if tokens[0] == ",":
                tokens = tokens[1:]
            elif first == "[":
                value, tokens = _value(tokens)
                found.append(value)
            elif tokens[0] == "…":
                found[Rest], tokens = True, tokens[1:]
            else:
                name, tokens = tokens[0], tokens[1:]
                assert tokens[0] == ":", f"{name} has no value"
                found[name], tokens = _value(tokens[1:])
        return found, tokens[1:]
    if first[0] == '"':
        return first[1:-1], tokens
    if first[0] == "<":
        return Any(first[1:-1]), tokens
    if first in ("true", "false"):
        return first == "true", tokens
    return (float(first) if re.fullmatch(r"-?\d+(\.\d+)?", first) else first), tokens


def plain(message):
    """A message as the transcript writes it: the fields that are set, enums by name."""
    def one(field, value):
        if field.message_type:
            return plain(value)
        return field.enum_type.values_by_number[value].name if field.enum_type else value
    def whole(field, value):
        is_list = isinstance(value, Sequence) and not isinstance(value, (str, bytes))
        return [one(field, each) for each in value] if is_list else one(field, value)
    return {field.name: whole(field, value) for field, value in message.ListFields()}


def difference(expected, found, known, path="it"):
    """How `found` differs from the transcript; None if it does not. Adds newly learned values to `known`."""
    if isinstance(expected, Any):
        same = known.setdefault(expected.name, found) == found
        return None if same else f"{path} is {found!r}, <{expected.name}> was {known[expected.name]!r}"
    if isinstance(expected, dict) and isinstance(found, dict):
        names = {name for name in expected if name is not Rest}
        if missing := names - set(found):
            return f"{path} lacks {sorted(missing)}: {found}"
        if Rest not in expected and set(found) != names:
            return f"{path} has {sorted(set(found) - names)} as well: {found}"
        wrong = (difference(expected[name], found[name], known, f"{path}.{name}") for name in expected if name in names)
        return next(filter(None, wrong), None)
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        wrong = (difference(*pair, known, f"{path}[]") for pair in zip(expected, found))
        return next(filter(None, wrong), None)
    if isinstance(expected, str) and isinstance(found, str):
        return _text_difference(expected, found, known, path)
    return None if expected == found else f"{path} is {found!r}, not {expected!r}"


def _text_difference(expected, found, known, path):
    names = re.findall(r"<(\w+)>", expected)
    pattern = "".join(
        r"([^/\s]+)" if at % 2 else re.escape(part) for at, part in enumerate(re.split(r"<(\w+)>", expected)))
    match = re.fullmatch(pattern, found)
    if not match:
        return f"{path} is {found!r}, not {expected!r}"
    wrong = (difference(Any(name), value, known, path) for name, value in zip(names, match.groups()))
    return next(filter(None, wrong), None)
