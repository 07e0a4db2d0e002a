# SPDX-License-Identifier: Apache-2.0
"""Reads Swift source, as far as the checks need it: code without comments and strings, and what it declares."""

import re
import typing

# What ends a stretch of code: a comment, a string (raw or not, of one line or more), or a parenthesis.
MARK = re.compile(r'//[^\n]*|/\*|(?P<hashes>#*)(?P<quote>"""|")|[()]')
COMMENT = re.compile(r"/\*|\*/|\n")
DECLARATION = re.compile(
    r"\b(?P<sort>extension|struct|enum|actor|protocol|class)\s+(?!(?:func|var|let|subscript)\b)(?P<type>[\w.\[\]]+)[^{}]*\{"
    r"|(?P<brace>[{}])"
    r"|\b(?P<kind>func|let|var|case|typealias)\s+(?P<name>\w+)"
    r"|\b(?P<init>init)\b[?!]?(?:<[^()]*>)?\("
)
PRIVATE = re.compile(r"\b(?:private|fileprivate)\b(?!\()")
SHARED = re.compile(r"\b(?:public|package)\b(?!\()")
# The names that a file binds in functions and closures: variables, parameters with their labels, patterns.
BOUND = (
    re.compile(r"\b(?:func|let|var|for|case)\s+(\w+)"),
    re.compile(r"\b(\w+(?:\s+\w+)?):"),
    re.compile(r"\b(?:let|var|for)\s+[\w.]*\(([^()]*)\)"),
    re.compile(r"\{\s*(?:\[[^\]]*\]\s*)?\(?([\w\s,]+?)\)?\s*(?:async\s+)?(?:throws(?:\(\w+\))?\s+)?(?:->[^{}]*?\s)?in\b"),
)


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


class Declaration(typing.NamedTuple):
    #: `extension`, `struct` and so on, `func`, `let`, `var`, `case`, `typealias` or `init`.
    kind: str
    name: str
    #: The type whose body or extension contains the declaration. `None` at file level.
    owner: str | None
    is_in_extension: bool
    #: Whether no other file can name it.
    is_private: bool
    #: Whether other modules can name it.
    is_shared: bool
    #: Of an initializer: the label of each parameter (`_` if it has none), and whether it has a default value.
    parameters: tuple = ()


class _Scope(typing.NamedTuple):
    """What a brace opens: the body of a type or extension. The scope of any other code is `None`."""
    type: str
    sort: str
    is_private: bool


def declarations(text):
    """What the code declares at file level, in types and in extensions, but not in functions and closures."""
    scopes = []
    for found in DECLARATION.finditer(text):
        scope = scopes[-1] if scopes else None
        is_local = bool(scopes) and scope is None
        if found["brace"] == "{":
            scopes.append(None)
            continue
        if found["brace"]:
            scopes.pop()
            continue
        before = text[max(text.rfind(mark, 0, found.start()) for mark in "\n{};") + 1:found.start()]
        is_private = is_local or bool(PRIVATE.search(before)) or bool(scope) and scope.is_private
        is_shared = bool(SHARED.search(before)) or bool(scope) and (scope.sort == "protocol" or found["kind"] == "case")
        owner, is_in_extension = (scope.type, scope.sort == "extension") if scope else (None, False)
        if found["sort"]:
            name = found["type"].split(".")[-1]
            if not is_local:
                yield Declaration(found["sort"], name, owner, is_in_extension, is_private, is_shared)
            scopes.append(_Scope(name, found["sort"], is_private))
        elif is_local:
            continue
        elif found["init"]:
            parameters = _parameters(text, found.end())
            yield Declaration("init", "init", owner, is_in_extension, is_private, is_shared, parameters)
        else:
            names = _cases(text, found.start("name")) if found["kind"] == "case" else [found["name"]]
            for name in names:
                yield Declaration(found["kind"], name, owner, is_in_extension, is_private, is_shared)


def _cases(text, at):
    """The cases of an enumeration that one `case` declares."""
    cases = re.compile(r"(?:[^\n]*,\n)*[^\n]*").match(text, at)[0]
    return re.findall(r"(?:^|,)\s*`?(\w+)", re.sub(r"\((?:[^()]|\([^()]*\))*\)", "", cases))


def _parameters(text, at):
    """The label of each parameter in the parentheses that begin before `at`, and whether it has a default value."""
    found = []
    for parameter in list_items(text, at, has_generics=True):
        label = re.match(r"(?:@\w+\s+)*(\w+)", parameter)
        found.append((label[1] if label else "_", " = " in parameter))
    return tuple(found)


def labels(text, at):
    """The label of each argument of the call whose parentheses begin before `at`; `_` if it has none."""
    found = (re.match(r"(\w+):", argument) for argument in list_items(text, at, has_generics=False))
    return tuple(label[1] if label else "_" for label in found)


def list_items(text, at, has_generics):
    """The items of the list in parentheses that begins before `at`."""
    depth, start, items = 0, at, []
    for place in range(at, len(text)):
        mark = text[place]
        if mark in "([{" or has_generics and mark == "<":
            depth += 1
        elif mark in ")]}" and depth == 0:
            items.append(text[start:place])
            break
        elif mark in ")]}" or has_generics and mark == ">" and text[place - 1] != "-":
            depth -= 1
        elif mark == "," and depth == 0:
            items.append(text[start:place])
            start = place + 1
    return [item.strip() for item in items if item.strip()]


def bound(text):
    """The names that functions and closures bind."""
    return {word for pattern in BOUND for found in pattern.findall(text) for word in re.findall(r"\w+", found)}
