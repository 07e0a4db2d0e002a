# SPDX-License-Identifier: Apache-2.0
"""Which parameters of a test run before merging, and which only in the long tier; and how a test behaves when a tool is
missing."""

import os

import pytest


def tiered(values, lean):
    """All values as parameters. Those that are not in `lean`, or for which `lean` is false, are marked as long."""
    def is_lean(value):
        return lean(value) if callable(lean) else value in lean

    values = list(values)
    assert any(map(is_lean, values)), "no parameter is left for the tests that run before merging"
    return [pytest.param(*(each if isinstance(each, tuple) else (each,)), marks=[] if is_lean(each) else pytest.mark.long)
            for each in values]


def absent(reason):
    """Skips a test, because something is missing that scripts/bootstrap or scripts/fixtures provides. Where `CI` is set, the
    test fails instead: a skip would hide that a client is no longer tested."""
    if os.environ.get("CI"):
        pytest.fail(f"{reason}, although scripts/bootstrap or scripts/fixtures provides it", pytrace=False)
    pytest.skip(reason)
