# SPDX-License-Identifier: Apache-2.0
"""The table of results."""


class Table:
    def __init__(self):
        self.rows = []

    def add(self, what, engine, peer, unit, target, peer_name="", more_is_better=False):
        """Adds a row. `peer` is None if there is no peer."""
        ratio = None
        if peer and engine:
            ratio = engine / peer if more_is_better else peer / engine
        self.rows.append((what, engine, peer, unit, ratio, target, peer_name))
        print(f"  {what}: {number(engine)} {unit}" + (f", {peer_name} {number(peer)} {unit}" if peer else ""), flush=True)

    def show(self):
        heads = ("what", "engine", "peer", "unit", "ratio", "to reach", "peer is")
        lines = [heads] + [
            (what, number(engine), number(peer), unit, f"{ratio:.2f}" if ratio else "—", target, name or "—")
            for what, engine, peer, unit, ratio, target, name in self.rows
        ]
        widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
        print()
        for index, line in enumerate(lines):
            print("| " + " | ".join(text.ljust(width) for text, width in zip(line, widths)) + " |")
            if index == 0:
                print("| " + " | ".join("-" * width for width in widths) + " |")


def number(value):
    if value is None:
        return "—"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
