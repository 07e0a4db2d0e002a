# SPDX-License-Identifier: Apache-2.0
"""Which parameters of a test run before merging, and which only in the long tier."""

import pytest


def tiered(values, lean):
    """All values as parameters. Those that are not in `lean`, or for which `lean` is false, are marked as long."""
    def is_lean(value):
        return lean(value) if callable(lean) else value in lean

    return [pytest.param(*(each if isinstance(each, tuple) else (each,)), marks=[] if is_lean(each) else pytest.mark.long)
            for each in values]
