// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Bindings

/// Converts frames of one colour, and gradients.
@Suite("Frames for the video encoder", .timeLimit(.minutes(5)))
struct FrameConversionTests {
    private static let thread = ReadingThread()
    private static let side = 64

    /// The luma of a frame after conversion.
    ///
    /// - Parameters:
    ///   - filters: make the frame from a black one.
    ///   - size: after conversion.
    private static func luma(
        _ filters: String,
        to size: (width: Int, height: Int),
        cropping: Cropping = Cropping()
    ) async throws -> [UInt8] {
        try await thread.run { () throws(FFmpegError) in
            let black = VideoFrame.blank(width: side, height: side, pts: 0)
            var made = try FrameFilterGraph.make(filters, for: black)
            var conversion = FrameConversion(
                to: FrameConversion.Target(
                    width: size.width,
                    height: size.height,
                    cropping: cropping,
                    declared: ColorDescription(primaries: 1, transfer: 1, matrix: 1),
                    peak: 1
                )
            )
            let frame = try conversion.convert(made.apply(black))
            return Array(frame.packed.bytes.prefix(size.width * size.height))
        }
    }

    @Test(
        "ten bits become eight with dither: the mean stays, and both neighbouring values occur",
        arguments: [512, 513, 514, 515],
        [64, 32]
    )
    func dither(value: Int, side: Int) async throws {
        let found = try await Self.luma("format=yuv420p10le,lutyuv=y=\(value)", to: (side, side))
        let mean = Double(found.reduce(0) { $0 + Int($1) }) / Double(found.count)
        #expect(found.count == side * side && abs(mean - Double(value) / 4) < 0.03)
        #expect(Set(found) == (value == 512 ? [128] : [128, 129]))
    }

    @Test("a frame of eight bits and of the right size keeps its values, without dither")
    func unchanged() async throws {
        let found = try await Self.luma("format=yuv420p,geq=lum='16+X':cb=128:cr=128", to: (Self.side, Self.side))
        #expect(Array(found.prefix(Self.side)) == (0..<Self.side).map { UInt8(16 + $0) })
    }

    @Test("the container's cropping is cut off")
    func crop() async throws {
        let cropping = Cropping(left: 6, top: 2, right: 10, bottom: 14)
        let filters = "format=yuv420p,geq=lum='16+X+Y':cb=128:cr=128"
        let found = try await Self.luma(filters, to: (48, 48), cropping: cropping)
        #expect(found.count == 48 * 48)
        // The first column that is left is 6, and the first line 2.
        let (first, last) = (16 + 6 + 2, 16 + 6 + 2 + 47)
        #expect(Array(found.prefix(48)) == (0..<48).map { UInt8(first + $0) })
        #expect(Array(found.suffix(48)) == (0..<48).map { UInt8(last + $0) })
    }
}
