// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Testing

@testable import Bindings
@testable import Decoding

@Suite("Subtitles in frames", .timeLimit(.minutes(10)), .needsFFmpegCommand)
struct SubtitleStageTests {
    /// The luma of a packed frame, line by line.
    private static func luma(_ frame: VideoFrame, deep: Bool) -> [[Int]] {
        let bytes = frame.packed.bytes
        return (0..<frame.height).map { row in
            (0..<frame.width).map { column in
                let place = row * frame.width + column
                return deep ? Int(bytes[2 * place]) | Int(bytes[2 * place + 1]) << 8 : Int(bytes[place])
            }
        }
    }

    @Test(
        "an opaque white image lies where it belongs, to the pixel; the frame keeps its format and all other luma",
        arguments: [
            ("yuv420p", "66x50"), ("yuv420p", "67x51"), ("yuv422p", "67x51"), ("yuv444p", "66x50"),
            ("yuv420p10le", "66x50"), ("yuv420p10le", "67x51"), ("yuv420p12le", "67x51"),
        ]
    )
    func places(format: String, size: String) async throws {
        let studio = FilterStudio()
        let (_, frames) = try await studio.film(format, size: size, count: 1)
        let before = try #require(frames.first).frame
        let (width, height) = (before.width, before.height)
        // Odd places and sizes, also in the last line and column.
        for (x, y, across, down) in [(3, 5, 11, 7), (8, 4, 6, 10), (width - 9, height - 7, 9, 7)] {
            let image = try await studio.image(x: x, y: y, width: across, height: down, on: (width, height))
            let after = await studio.apply(frames, showing: [[image]])[0].frame
            #expect(after.shape.pixelFormat == format && after.pts == before.pts)
            #expect((after.width, after.height) == (width, height))
            let depth = before.shape.depth
            let (old, new) = (Self.luma(before, deep: depth > 8), Self.luma(after, deep: depth > 8))
            for row in 0..<height {
                for column in 0..<width {
                    let isInside = (x..<x + across).contains(column) && (y..<y + down).contains(row)
                    let wanted = isInside ? 235 << (depth - 8) : old[row][column]
                    #expect(abs(new[row][column] - wanted) <= 1, "\(column),\(row) of \(x),\(y)")
                }
            }
        }
        #expect(studio.findings.withLock { $0 }.isEmpty)
    }

    @Test("a frame without images passes as the same object; each frame shows its own images")
    func perFrame() async throws {
        let studio = FilterStudio()
        let (_, frames) = try await studio.film(count: 4)
        let image = try await studio.image(x: 2, y: 2, width: 20, height: 20, on: (66, 50))
        let treated = await studio.apply(frames, showing: [[], [image], []])
        #expect(zip(treated, frames).map { $0.frame === $1.frame } == [true, false, true, true])
        #expect(zip(treated, frames).allSatisfy { $0.time == $1.time && $0.duration == $1.duration })
    }

    @Test("subtitles are drawn after the filters, which do not change them")
    func order() async throws {
        let studio = FilterStudio()
        let (_, frames) = try await studio.film(count: 1)
        let image = try await studio.image(x: 4, y: 4, width: 12, height: 8, on: (66, 50))
        try await studio.ask(.add(PictureFilter("negate")))
        let filtered = Self.luma(await studio.apply(frames)[0].frame, deep: false)
        let shown = Self.luma(await studio.apply(frames, showing: [[image]])[0].frame, deep: false)
        #expect(abs(shown[8][8] - 235) <= 1)
        #expect(shown[30] == filtered[30])
    }
}
