# SPDX-License-Identifier: Apache-2.0
"""The lists in docs/ipc.md and docs/errors.md match the code and the contract: error codes and their statuses, notices
and their severities, calls and their fields, the fields of a session's state, the limits. docs/testing.md lists the
existing test files, the checks of scripts/check, and the Swift tests that wait without a signal. Tests that a document
names exist."""

import re
import sys

import tree

IPC, ERRORS, TESTING = "docs/ipc.md", "docs/errors.md", "docs/testing.md"
# The beginning of a row in the table of limits, and the numbers that the row must contain: a file, and names of
# constants in it.
LIMITS = {
    "connections |": ("Sources/IPC/Server/ServerLimits.swift", "connections"),
    "silence before": ("Sources/IPC/Server/ServerLimits.swift", "preface"),
    "calls open": ("Sources/IPC/Wire/HTTP2/HTTP2Limits.swift", "concurrentStreams"),
    "calls at work": ("Sources/IPC/Server/ServerLimits.swift", "runningTasksPerConnection"),
    "open `Watch`": ("Sources/IPC/Server/ServerLimits.swift", "watchesPerConnection", "watches"),
    "open `Render`": ("Sources/IPC/Server/ServerLimits.swift", "renderersPerConnection", "renderers"),
    "connections to the side": ("Sources/IPC/Server/ServerLimits.swift", "handovers"),
    "sessions |": ("Sources/EngineActors/Sessions/Engine/EngineConfiguration.swift", "sessionLimit"),
    "headers of": ("Sources/IPC/Wire/HTTP2/HTTP2Limits.swift", "headerListSize"),
    "one message": ("Sources/IPC/Wire/GRPC/MessageFraming.swift", "largestMessage"),
    "fields in": ("Sources/IPC/Wire/Protobuf/MessageValidator.swift", "requestFieldLimit"),
    "messages within": ("Sources/IPC/Wire/Protobuf/MessageValidator.swift", "deepestNesting"),
    "unfinished": ("Sources/IPC/Server/ServerLimits.swift", "heldRequestBytes"),
    "one segment": ("Sources/IPC/Server/ServerLimits.swift", "inspectedBytes"),
    "questions": ("Sources/IPC/Server/ReflectionHandler.swift", "longestQueue"),
    "answers to": ("Sources/IPC/Wire/HTTP2/HTTP2Limits.swift", "waitingAcknowledgements"),
    "notices and": ("Sources/IPC/Server/Watch/Watcher.swift", "ringCapacity"),
    "text in": ("Sources/IPC/Wire/GRPC/PercentEncoding.swift", "longestText"),
    "ids of": ("Sources/EngineActors/Sessions/Engine/IdempotencyCache.swift", "idLimit"),
    "sessions named": ("Sources/EngineActors/Sessions/Engine/IdempotencyCache.swift", "sessionLimit"),
    "`http_headers`": ("Sources/EngineModel/HTTP/HTTPHeader.swift", "countLimit", "valueLimit"),
    "languages of": ("Sources/IPC/Wire/Messages/LoadOptions+Wire.swift", "languageLimit"),
    "`report.buffered`": ("Sources/IPC/Wire/Messages/Renderer+Wire.swift", "rangeLimit"),
}


def rows(name, heading):
    """The rows of the table whose header begins with `heading`: (line number, cells)."""
    found, inside = [], False
    for number, line in enumerate(tree.lines(name), 1):
        if line.startswith(heading):
            inside = True
        elif inside and not line.startswith("|"):
            break
        elif inside and not line.startswith("| ---"):
            found.append((number, [cell.strip() for cell in line.strip("|").split("|")]))
    return found


def text(name):
    return "\n".join(tree.lines(name))


def words(cell):
    return re.findall(r"`([^`]+)`", cell)


def compare(findings, name, kind, documented, real):
    """Reports differences between two dictionaries; the values of `documented` are (line, value)."""
    for word in sorted(set(real) - set(documented)):
        findings.add(name, 1, f"{kind} `{word}` is not listed")
    for word, (number, value) in documented.items():
        if word not in real:
            findings.add(name, number, f"{kind} `{word}` does not exist")
        elif value != real[word]:
            findings.add(name, number, f"{kind} `{word}` is {real[word]}, not {value}")


def snake(name):
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name)


def check_errors(findings):
    codes = dict(re.findall(r'case `?(\w+)`? = "(\w+)"', text("Sources/EngineModel/Errors/EngineError.swift")))
    statuses = re.findall(r"case \.(\w+): \.(\w+)$", text("Sources/IPC/Wire/Messages/EngineError+Wire.swift"), re.MULTILINE)
    real = {codes[case]: snake(status).upper() for case, status in statuses if case in codes}
    listed = {words(cells[0])[0]: (number, ", ".join(words(cells[2]))) for number, cells in rows(ERRORS, "| code |")}
    compare(findings, ERRORS, "the error", listed, real)
    listed = {code: (number, words(cells[1])[0]) for number, cells in rows(IPC, "| `engine-error-code` |")
              for code in words(cells[0])}
    compare(findings, IPC, "the error", listed, real)


def check_notices(findings):
    real = {}
    for name in tree.files(".swift"):
        if not name.startswith("Sources/"):
            continue
        source = text(name)
        for severity, code in re.findall(r'\bNotice\(\s*\.(info|warning),\s*"([^"]+)"', source):
            real.setdefault(code, set()).add(severity)
        made = len(re.findall(r"(?<!Proto\.)\bNotice\((?!wire:|\s*\.(?:info|warning),\s*\")", source))
        if made:
            findings.add(name, 1, "a notice whose code is not written out where it is made cannot be listed")
    listed = {}
    for number, cells in rows(IPC, "| notice |"):
        severities = {cells[1]} | ({"warning"} if "A warning where" in cells[2] else set())
        listed[words(cells[0])[0]] = (number, severities)
    compare(findings, IPC, "the notice", listed, real)


def fields(message, proto):
    body = re.search(rf"^message {message} \{{(\}}|.*?^\}})", proto, re.MULTILINE | re.DOTALL)
    return re.findall(r"^ +(?:repeated )?[\w.]+ (\w+) = \d+;", body[1], re.MULTILINE)


def check_calls(findings):
    proto = "\n".join(text(name) for name in tree.files(".proto") if name.startswith("Proto/engine/v1/"))
    calls = dict(re.findall(r"rpc (\w+)\((?:stream )?(\w+)\)", proto))
    for heading in ("| RPC of", "| RPC | what"):
        table = {name: (number, cells) for number, cells in rows(IPC, heading) for name in words(cells[0])}
        compare(findings, IPC, "the call", {name: (number, "") for name, (number, _) in table.items()}, dict.fromkeys(calls, ""))
    for name, (number, cells) in table.items():
        real = fields(calls[name], proto) if name in calls else []
        for field in sorted(set(real) ^ set(words(cells[1]))):
            findings.add(IPC, number, f"`{field}` is not both here and in {calls.get(name)}")


def check_options(findings):
    real = dict.fromkeys(fields("LoadOptions", text("Proto/engine/v1/engine.proto")), "")
    listed = {words(cells[0])[0]: (number, "") for number, cells in rows(IPC, "| field of `LoadOptions` |")}
    compare(findings, IPC, "the option", listed, real)


def check_state(findings):
    proto = text("Proto/engine/v1/state.proto")
    groups = {}
    for group, names in re.findall(r"STATE_FIELD_(\w+) = \d+; +// ([\w, ]+)", proto):
        groups |= {name: group for name in names.removesuffix(", at most once a second").split(", ")}
    real = {field: groups.get(field, "in all") for field in fields("SessionState", proto)}
    listed = {field: (number, cells[1].strip("`")) for number, cells in rows(IPC, "| `SessionState` |")
              for field in words(cells[0])}
    compare(findings, IPC, "the field", listed, real)


def spelled(value):
    """The notations of a number that documents may use."""
    return {f"{value:,}", f"{value} s"} | {f"{value >> shift} {unit}" for shift, unit in ((10, "KiB"), (20, "MiB"))}


def check_limits(findings):
    table = rows(IPC, "| what | limit |")
    for start, (name, *constants) in LIMITS.items():
        row = next(((number, cells) for number, cells in table if f"{cells[0]} |".startswith(start)), None)
        if row is None:
            findings.add(IPC, 1, f"no limit begins with {start}")
            continue
        for constant in constants:
            found = re.search(rf"\b{constant}\b[^=\n{{]*[={{] *(?:\.seconds\()?([\d_]+)(?: << (\d+))?", text(name))
            value = int(found[1].replace("_", "")) << int(found[2] or 0) if found else 0
            if not any(re.search(rf"(?<![\d,.]){re.escape(way)}(?!,?\d)", row[1][1]) for way in spelled(value)):
                findings.add(IPC, row[0], f"{constant} is {value}, not {row[1][1]}")


def check_tests(findings):
    """Each test file of the real clients has one row with its promise and its seconds in both tiers."""
    real = {name.rpartition("/")[2]: "" for name in tree.files(".py") if name.startswith("Tests/EndToEnd/test_")}
    table = {words(cells[0])[0]: (number, cells[2:]) for number, cells in rows(TESTING, "| file | promise |")}
    compare(findings, TESTING, "the test file", {name: (number, "") for name, (number, _) in table.items()}, real)
    for name, (number, seconds) in table.items():
        if len(seconds) != 2 or not all(each.isdigit() for each in seconds):
            findings.add(TESTING, number, f"`{name}` has no seconds for both tiers")


def check_checks(findings):
    real = re.search(r"^all=\((.*)\)$", text("scripts/check"), re.MULTILINE)[1].split()
    (number, cells), = [row for row in rows(TESTING, "| what | where |") if row[1][0] == "house rules"]
    compare(findings, TESTING, "the check", {name: (number, "") for name in words(cells[2]) if name != "unsafe"},
            dict.fromkeys(real, ""))


def check_waits(findings):
    """The Swift test files that wait without a signal are listed."""
    wait = re.compile(r"\bTask\.sleep\b|\beventually(?: \{|\()")
    real = {name.rpartition("/")[2].removesuffix(".swift"): "" for name in tree.files(".swift")
            if name.startswith("Tests/") and not name.endswith("/Eventually.swift") and wait.search(text(name))}
    lines = tree.lines(TESTING)
    start = next(number for number, line in enumerate(lines) if line.startswith("- **Waiting.**"))
    end = next(number for number in range(start + 1, len(lines)) if not lines[number].startswith("  "))
    listed = words(" ".join(lines[start:end]).split("real time:")[1])
    compare(findings, TESTING, "the waiting test file", {name: (start + 1, "") for name in listed}, real)


def check_named_tests(findings):
    """Each suite or client test file that a document names exists; a folder of tests counts as a suite."""
    real = set()
    for name in tree.files(".swift"):
        if "Tests/" in name:
            real.update(re.findall(r"\b(?:struct|class|enum|actor|extension) (\w+Tests)\b", text(name)), name.split("/"))
    real.update(name.rpartition("/")[2] for name in tree.files(".py") if name.startswith("Tests/EndToEnd/test_"))
    for name in tree.files(".md"):
        for number, line in enumerate(tree.lines(name), 1):
            for word in words(line):
                if re.fullmatch(r"[A-Z]\w*Tests|test_\w+\.py", word) and word not in real:
                    findings.add(name, number, f"the test `{word}` does not exist")


def main():
    findings = tree.Findings()
    for check in (check_errors, check_notices, check_calls, check_options, check_state, check_limits, check_tests, check_checks, check_waits,
                  check_named_tests):
        check(findings)
    return findings.status


sys.exit(main())
