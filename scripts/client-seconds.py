# SPDX-License-Identifier: Apache-2.0
"""Rewrites the seconds of the table of test files in docs/testing.md from the last run of all real clients: the column of
the run's tier, or both columns of a file without tests of the long tier.

    client-seconds.py [FILE]
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
TABLE = ROOT / "docs/testing.md"
run = json.loads(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build/client-seconds.json").read_text())


def row(found):
    start, name, lean, whole = found.groups()
    # 0 only where the tier has no test of the file.
    seconds = str(max(1, round(run["seconds"][name]))) if name in run["seconds"] else "0"
    is_mixed = re.search(r"mark\.long|tiered\(", (ROOT / "Tests/EndToEnd" / name).read_text())
    if run["tier"] == "lean" or not is_mixed:
        lean = seconds
    if run["tier"] == "all" or not is_mixed:
        whole = seconds
    return f"{start} {lean} | {whole} |"


TABLE.write_text(re.sub(r"^(\| `(test_\w+\.py)` \|.*\|) +(\d+) \| +(\d+) \|$", row, TABLE.read_text(), flags=re.MULTILINE))
