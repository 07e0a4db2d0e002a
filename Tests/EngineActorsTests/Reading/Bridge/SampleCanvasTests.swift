// SPDX-License-Identifier: Apache-2.0

import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("Samples on the timeline", .timeLimit(.minutes(10)))
struct SampleCanvasTests {
    private static let format = AudioFormat(samples: .int16, rate: 48_000, layout: ChannelLayout(mask: 0x4))

    private static func block(_ values: ClosedRange<UInt8>) -> SampleBlock {
        SampleBlock(planes: [values.flatMap { [$0, 0] }], count: values.count)
    }

    /// The low bytes of the samples of a canvas.
    private static func values(_ canvas: SampleCanvas) -> [UInt8] {
        stride(from: 0, to: canvas.block.count * 2, by: 2).map { canvas.block.planes[0][$0] }
    }

    @Test("is silent where nothing was placed, and keeps what was placed first")
    func placing() {
        var canvas = SampleCanvas(format: Self.format, range: 100..<110)
        #expect(!canvas.hasData && canvas.dataEnd == nil && Self.values(canvas) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        canvas.lay(Self.block(1...4), at: 98)
        canvas.lay(Self.block(11...14), 1..<4, at: 101)
        #expect(canvas.dataStart == 100 && canvas.dataEnd == 104)
        canvas.lay(Self.block(21...29), at: 106)
        #expect(Self.values(canvas) == [3, 4, 13, 14, 0, 0, 21, 22, 23, 24])
        #expect(canvas.dataStart == 100 && canvas.dataEnd == 115 && canvas.onlyStretch == nil)
    }

    @Test("if only one stretch was placed, it is found as a part of its block")
    func only() throws {
        var canvas = SampleCanvas(format: Self.format, range: 100..<110)
        canvas.lay(Self.block(1...50), 10..<40, at: 95)
        let stretch = try #require(canvas.onlyStretch)
        #expect(stretch.part == 15..<25 && stretch.start == 100 && canvas.dataEnd == 125)
        // A channel that a block lacks is silent.
        let stereo = AudioFormat(samples: .planarFloat, rate: 48_000, layout: ChannelLayout(mask: 0x3))
        var other = SampleCanvas(format: stereo, range: 0..<1)
        other.lay(SampleBlock(planes: [[1, 2, 3, 4]], count: 1), at: 0)
        #expect(other.onlyStretch == nil && other.block.planes == [[1, 2, 3, 4], [0, 0, 0, 0]])
    }
}
