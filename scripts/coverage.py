# SPDX-License-Identifier: Apache-2.0
"""The covered lines of each file in Sources, from the summary of llvm-cov, and the files that lost more than one point
or are gone since an earlier run."""

import json
import pathlib
import sys

summary, kept, against = sys.argv[1:]
root = str(pathlib.Path(__file__).resolve().parents[1]) + "/Sources/"
lines = {
    each["filename"].removeprefix(root): [each["summary"]["lines"]["covered"], each["summary"]["lines"]["count"]]
    for each in json.loads(pathlib.Path(summary).read_text())["data"][0]["files"] if each["filename"].startswith(root)
}
pathlib.Path(kept).write_text(json.dumps(lines, indent=1, sort_keys=True))


def percent(covered, count):
    return 100 * covered / count if count else 100.0


def total(files):
    covered, count = (sum(each[index] for each in files.values()) for index in (0, 1))
    return f"{percent(covered, count):.1f} % of {count} lines in {len(files)} files"


print(total(lines))
if against:
    earlier = json.loads(pathlib.Path(against).read_text())
    print(f"{total(earlier)} before")
    losses = [(percent(*earlier[name]) - percent(*now), name) for name, now in lines.items() if name in earlier]
    for loss, name in sorted(losses, reverse=True):
        if loss > 1:
            print(f"{name}: {percent(*earlier[name]):.1f} % before, {percent(*lines[name]):.1f} % now")
    for name in sorted(earlier.keys() - lines.keys()):
        print(f"{name}: {percent(*earlier[name]):.1f} % before, not in the summary now")
