// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Bindings

@Suite(.timeLimit(.minutes(10))) struct FrameColorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var stream = ColorDescription()
        var frame = ColorDescription()
        var isRGB = false
        var width = 1920
        var height = 1080
        /// Primaries, transfer, matrix.
        var expected: [Int]
        var isFullRange = false
    }

    static let cases: [Case] = [
        Case(testDescription: "unspecified, large", expected: [1, 1, 1]),
        Case(testDescription: "unspecified, small", width: 720, height: 576, expected: [1, 1, 6]),
        Case(testDescription: "unspecified, wide", width: 1280, height: 534, expected: [1, 1, 1]),
        Case(
            testDescription: "the stream overrides the frame",
            stream: ColorDescription(primaries: 9, transfer: 16, matrix: 9),
            frame: ColorDescription(primaries: 1, transfer: 1, matrix: 1),
            expected: [9, 16, 9]
        ),
        Case(
            testDescription: "each field is resolved separately",
            stream: ColorDescription(primaries: 12),
            frame: ColorDescription(transfer: 13, matrix: 5, isFullRange: true),
            expected: [12, 13, 5],
            isFullRange: true
        ),
        Case(testDescription: "PQ alone", stream: ColorDescription(transfer: 16), expected: [9, 16, 9]),
        Case(testDescription: "HLG alone", frame: ColorDescription(transfer: 18), width: 640, expected: [9, 18, 9]),
        Case(testDescription: "BT.2020 alone", stream: ColorDescription(matrix: 9), expected: [9, 1, 9]),
        Case(
            testDescription: "reserved numbers count as unspecified",
            stream: ColorDescription(primaries: 3, transfer: 200, matrix: 0),
            expected: [1, 1, 1]
        ),
        Case(
            testDescription: "R'G'B'",
            stream: ColorDescription(matrix: 1),
            isRGB: true,
            expected: [1, 1, 0],
            isFullRange: true
        ),
    ]

    @Test("Every field is resolved", arguments: cases)
    func resolved(_ each: Case) {
        let color = FrameColor(
            stream: each.stream,
            frame: each.frame,
            isRGB: each.isRGB,
            width: each.width,
            height: each.height
        )
        #expect([color.primaries, color.transfer, color.matrix] == each.expected)
        #expect(color.isFullRange == each.isFullRange)
    }

    @Test("A still is sRGB, unless it keeps the colours of the source")
    func still() {
        let wide = ColorDescription(primaries: 9, transfer: 18, matrix: 9)
        let color = FrameColor(stream: wide, frame: wide, isRGB: false, width: 1920, height: 1080)
        #expect(color.light == .hybridLogGamma)
        let kept = color.ofStill(keeps: true, in: .rgb)
        #expect([kept.primaries, kept.transfer, kept.matrix] == [9, 18, 0])
        let shown = color.ofStill(keeps: false, in: .rgb)
        #expect([shown.primaries, shown.transfer, shown.matrix] == [1, 13, 0])
        #expect(FrameColor.codes.ofStill(keeps: true, in: .rgb).transfer == 13)
    }
}
