# SPDX-License-Identifier: Apache-2.0
"""Contrast ratios in the page's styles (WCAG 2.2, success criteria 1.4.3 and 1.4.11)."""

import re

from .places import ROOT

STYLES = ROOT / "Sources" / "WebPage" / "Page" / "style.css"
BLACK, WHITE = (0, 0, 0), (255, 255, 255)
LIGHT = "@media (prefers-color-scheme: light)"


def blocks(text):
    """The rules of a style sheet or a group, as (selector, body)."""
    place = 0
    while (start := text.find("{", place)) >= 0:
        depth, end = 1, start + 1
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        yield text[place:start].strip(), text[start + 1:end - 1]
        place = end


def declarations(body):
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in body.split(";")) if value}


class Theme:
    """The declarations that apply in the dark theme, or in the light one."""

    def __init__(self, is_light):
        rules = list(blocks(re.sub(r"/\*.*?\*/", "", STYLES.read_text(), flags=re.DOTALL)))
        if is_light:
            rules += [rule for selector, body in rules if selector == LIGHT for rule in blocks(body)]
        self.rules = {}
        for selectors, body in rules:
            for selector in [] if selectors.startswith("@") else selectors.split(","):
                self.rules.setdefault(selector.strip(), {}).update(declarations(body))

    def value(self, selector, name):
        """The value that a rule declares, with its variables replaced; a name that begins with -- is a variable of the
        theme."""
        text = f"var({selector})" if selector.startswith("--") else self.rules[selector][name]
        return re.sub(r"var\((--[a-z-]+)\)", lambda match: self.rules[":root"][match[1]], text)

    def colour(self, selector, name):
        """Red, green, blue and opacity of the first colour of a declaration."""
        text = self.value(selector, name)
        if match := re.search(r"#([0-9a-f]{6}|[0-9a-f]{3})\b", text):
            digits = match[1] if len(match[1]) == 6 else "".join(2 * digit for digit in match[1])
            return (*bytes.fromhex(digits), 1.0)
        red, green, blue, opacity = re.search(r"rgb\((\d+) (\d+) (\d+) / (\d+)%\)", text).groups()
        return int(red), int(green), int(blue), int(opacity) / 100

    def over(self, selector, name, below):
        """The colour that results from blending a colour of a rule over another one."""
        *colour, opacity = self.colour(selector, name)
        return tuple(part * opacity + under * (1 - opacity) for part, under in zip(colour, below, strict=True))

    def ratio(self, front, *backs):
        """The smallest contrast between a colour and its background: layers from the top down, over a black or a white
        frame."""
        worst = float("inf")
        for below in (BLACK, WHITE):
            for selector in reversed(backs):
                below = self.over(selector, "background", below)
            lights = sorted([luminance(self.over(front, "color", below)), luminance(below)])
            worst = min(worst, (lights[1] + 0.05) / (lights[0] + 0.05))
        return worst


def luminance(colour):
    linear = [part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in colour]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
