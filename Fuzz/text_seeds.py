# SPDX-License-Identifier: Apache-2.0
"""Seeds of timed text, for `make-seeds.py`."""

import pathlib
import sys

# Times of every kind, sequences, styles that refer to each other, and a region.
DOCUMENT = b"""<tt xmlns="http://www.w3.org/ns/ttml" frameRate="25" tickRate="10" cellResolution="40 20" extent="1280px 720px"><head>
<styling><style xml:id="a" style="b" color="rgb(1,2,3)"/><style xml:id="b" style="a" fontWeight="bold"/></styling>
<layout><region xml:id="r" origin="1c 2c" extent="50% 3c" begin="1s" end="9s"><style displayAlign="after"/></region></layout></head>
<body begin="00:00:01:12" timeContainer="seq"><div dur="5s"><p region="r" style="a b" xml:space="preserve"> a<span begin="1s" dur="20t">b</span><br/>c </p></div>
<div><p end="2m"><span ruby="base">x</span><span ruby="text">y</span>&amp;</p></div></body></tt>"""


def documents(write):
    """Documents, and segments of fragmented MP4 with a document and with WebVTT."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Tests" / "EndToEnd"))
    from harness import bundles

    write("text", "nested", DOCUMENT)
    write("text", "document", bundles.ttml(bundles.FRAGMENTED_CUES[:2]))
    write("text", "stpp", bundles.text_init("stpp") + bundles.text_segment(0, [(8000, bundles.ttml(bundles.FRAGMENTED_CUES[:2]))]))
    cue = bundles.box("vttc", bundles.box("sttg", b"line:0"), bundles.box("payl", b"One"))
    samples = [(1000, cue), (500, bundles.box("vtte")), (1000, cue)]
    write("text", "wvtt", bundles.text_init("wvtt") + bundles.text_segment(90_000, samples))
