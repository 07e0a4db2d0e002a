# SPDX-License-Identifier: Apache-2.0
"""The covered lines of each file in Sources, from the summary of llvm-cov, and the files that lost more than one point
or are gone since an earlier run. A file that has moved since is found by its name, if only one file had and has it. Exits
with 1 if a file lost more than one point."""

import collections
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


def by_base_name(paths):
    groups = collections.defaultdict(list)
    for path in paths:
        groups[path.rpartition("/")[2]].append(path)
    return groups


print(total(lines))
if against:
    earlier = json.loads(pathlib.Path(against).read_text())
    print(f"{total(earlier)} before")
    unique = [
        {base: names[0] for base, names in groups.items() if len(names) == 1}
        for groups in (by_base_name(earlier.keys() - lines.keys()), by_base_name(lines.keys() - earlier.keys()))
    ]
    before = {name: name for name in lines if name in earlier}
    before |= {now: unique[0][base] for base, now in unique[1].items() if base in unique[0]}
    losses = [(percent(*earlier[old]) - percent(*lines[name]), name, old) for name, old in before.items()]
    losses = sorted((each for each in losses if each[0] > 1), reverse=True)
    for _, name, old in losses:
        moved = f" as {old}" if old != name else ""
        print(f"{name}: {percent(*earlier[old]):.1f} % before{moved}, {percent(*lines[name]):.1f} % now")
    for name in sorted(earlier.keys() - set(before.values())):
        print(f"{name}: {percent(*earlier[name]):.1f} % before, not in the summary now")
    sys.exit(1 if losses else 0)
