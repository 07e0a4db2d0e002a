# SPDX-License-Identifier: Apache-2.0
"""Which parameters of a test are checked before landing, and which in the long tier only."""

import pytest


def tiered(values, lean):
    """All values; those that are not in `lean`, or that it is false of, are of the long tier."""
    def is_lean(value):
        return lean(value) if callable(lean) else value in lean

    return [pytest.param(*(each if isinstance(each, tuple) else (each,)), marks=[] if is_lean(each) else pytest.mark.long)
            for each in values]
