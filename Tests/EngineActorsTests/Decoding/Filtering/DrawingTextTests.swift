// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Decoding

@Suite("What drawings may contain", .timeLimit(.minutes(10)))
struct DrawingTextTests {
    @Test(
        "documents without external references are accepted",
        arguments: [
            "<svg viewBox=\"0 0 9 9\"><rect width=\"9\" height=\"9\" fill=\"url(#g)\"/></svg>",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><svg><use href=\"#a\" xlink:href = '#b'/></svg>",
            "<svg><text>see the href there</text></svg>",
            "<SVG/>",
        ]
    )
    func taken(svg: String) throws { try DrawingText.check(svg) }

    @Test(
        "external references and entities are rejected",
        arguments: [
            "<svg><image href=\"file:///etc/passwd\"/></svg>",
            "<svg><image xlink:href=\"http://127.0.0.1/x.png\"/></svg>",
            "<svg><image HREF = 'https://example.org/x.png'/></svg>",
            "<svg><image href=\"&#102;ile:///etc/passwd\"/></svg>",
            "<svg><image href=\"data:image/png;base64,AAAA\"/></svg>",
            "<svg><image href=\"other.svg\"/></svg>",
            "<svg><rect fill=\"url(file:///x.svg#g)\"/></svg>",
            "<svg><rect style=\"fill:URL( 'http://example.org/x' )\"/></svg>",
            "<svg><style>@import url(#x);</style></svg>",
            "<?xml-stylesheet href=\"#x\"?><svg/>",
            "<!DOCTYPE svg [<!ENTITY lol \"lol\">]><svg>&lol;</svg>",
            "<svg><script>1</script></svg>",
            "<svg xml:base=\"http://example.org/\"/>",
            "<?xml version=\"1.0\" encoding=\"UTF-7\"?><svg/>",
            "<svg>" + String(repeating: "<g/>", count: 5000) + "</svg>",
            "",
            "<html/>",
        ]
    )
    func refused(svg: String) {
        let error = #expect(throws: EngineError.self) { try DrawingText.check(svg) }
        #expect(error?.field == "svg")
    }

    @Test(
        "the root element decides whether a drawing is stretched",
        arguments: [
            ("<svg preserveAspectRatio=\"none\"/>", true), ("<svg preserveAspectRatio='none meet'/>", true),
            ("<svg/>", false), ("<svg><g preserveAspectRatio=\"none\"/></svg>", false),
            ("<svg preserveAspectRatio=\"xMidYMid\"/>", false),
        ]
    )
    func stretched(svg: String, expected: Bool) { #expect(DrawingText.isStretched(svg) == expected) }

    @Test(
        "a drawing that cannot be used is rejected, naming the field",
        arguments: [
            (.svg("hello"), "svg"), (.ass(ASSDrawing("{\\p1}hello")), "ass"),
            (.svg("<svg></svg>" + String(repeating: " ", count: Overlay.textLimit)), "svg"),
        ] as [(OverlayDrawing, String)]
    )
    func refused(drawing: OverlayDrawing, field: String) {
        #expect(#expect(throws: EngineError.self) { try drawing.document() }?.field == field)
    }
}
