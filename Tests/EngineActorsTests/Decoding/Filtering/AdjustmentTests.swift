// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Foundation
import Testing

@testable import Bindings
@testable import Decoding

@Suite("Brightness, contrast, saturation and gamma", .timeLimit(.minutes(10)), .needsFFmpegCommand)
struct AdjustmentTests {
    private static func change(_ values: (Double?, Double?, Double?, Double?)) -> AdjustmentChange {
        var change = AdjustmentChange()
        (change.brightness, change.contrast, change.saturation, change.gamma) = values
        return change
    }

    /// The formulas of `docs/filters.md`.
    private static func luma(_ code: Int, _ depth: Int, _ full: Bool, _ values: PictureAdjustments) -> Int {
        let unit = Double(1 << (depth - 8))
        let top = Double(1 << depth) - 1
        let (black, span) = full ? (0, top) : (16 * unit, 219 * unit)
        var value = ((Double(code) - black) / span - 0.5) * values.contrast + 0.5 + values.brightness
        if values.gamma != 1 { value = pow(min(max(value, 0), 1), 1 / values.gamma) }
        return Int(min(max((black + span * value + 0.5).rounded(.down), 0), top))
    }

    private static func chroma(_ code: Int, _ depth: Int, _ values: PictureAdjustments) -> Int {
        let middle = Double(1 << (depth - 1))
        return Int(
            min(
                max((middle + (Double(code) - middle) * values.saturation + 0.5).rounded(.down), 0),
                Double(1 << depth) - 1
            )
        )
    }

    private static func samples(_ bytes: [UInt8], _ depth: Int) -> [Int] {
        guard depth > 8 else { return bytes.map { Int($0) } }
        return stride(from: 0, to: bytes.count - 1, by: 2).map { Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8 }
    }

    @Test(
        "each code value of a frame is mapped by the formula, at every bit depth",
        arguments: ["yuv420p", "yuv422p10le", "yuv444p12le", "yuv420p16le", "yuvj420p", "gray", "gray10le"],
        [
            (0.25, nil, nil, nil), (nil, 1.5, nil, nil), (nil, nil, 0.0, nil), (nil, nil, nil, 2.2),
            (-0.1, 0.8, 3.0, 0.5),
        ] as [(Double?, Double?, Double?, Double?)]
    )
    func formulas(format: String, values: (Double?, Double?, Double?, Double?)) async throws {
        let studio = FilterStudio()
        let (_, frames) = try await studio.film(format, size: "64x48", count: 1)
        try await studio.ask(.adjust(Self.change(values)))
        let adjustments = studio.look.treatment.adjustments
        let shape = frames[0].frame.shape
        let before = Self.samples(frames[0].frame.packed.bytes, shape.depth)
        let after = Self.samples(await studio.apply(frames)[0].frame.packed.bytes, shape.depth)
        #expect(after.count == before.count)
        let lumaCount = 64 * 48
        var worst = 0
        for (index, code) in before.enumerated() {
            let expected =
                index < lumaCount
                ? Self.luma(code, shape.depth, shape.isFullRange, adjustments)
                : Self.chroma(code, shape.depth, adjustments)
            worst = max(worst, abs(after[index] - expected))
        }
        // The filter receives numbers with six decimals, which may move a value to the other side of a rounding
        // boundary.
        #expect(worst <= (shape.depth > 12 ? 1 : 0), "off by \(worst)")
        #expect(studio.findings.withLock { $0 }.isEmpty)
    }

    @Test(
        "white stays white in full-range frames with more than 8 bits",
        arguments: [
            ("gray10le", "pseudocolor=c0=1023", 1023), ("gray12le", "pseudocolor=c0=4095", 4095),
            ("yuv420p10le", "lutyuv=y=1023:u=512:v=512,setparams=range=pc", 1023),
            ("gbrp10le", "pseudocolor=i=0:c0=1023:c1=1023:c2=1023", 1023),
            ("gbrp12le", "pseudocolor=i=0:c0=4095:c1=4095:c2=4095", 4095),
        ] as [(String, String, Int)]
    )
    func white(format: String, filter: String, top: Int) async throws {
        let studio = FilterStudio()
        let (_, frames) = try await studio.film(format, size: "64x48", count: 1, filter: "format=\(format),\(filter)")
        let before = Self.samples(frames[0].frame.packed.bytes, frames[0].frame.shape.depth)
        try await studio.ask(.adjust(Self.change((nil, 1.2, nil, 1.5))))
        let treated = await studio.apply(frames)[0].frame
        let after = Self.samples(treated.packed.bytes, treated.shape.depth)
        #expect(treated.shape.pixelFormat == frames[0].frame.shape.pixelFormat)
        #expect(before[0] > top - 2 && after[..<(64 * 48)].allSatisfy { $0 >= before[0] }, "\(before[0]) \(after[0])")
        #expect(studio.findings.withLock { $0 }.isEmpty)
    }

    @Test("saturation 0 also removes the colour of RGB frames", arguments: ["bgr0", "bgra", "gbrp10le"])
    func withoutColor(format: String) async throws {
        let studio = FilterStudio()
        let (_, frames) = try await studio.film(format, size: "64x48", count: 1)
        try await studio.ask(
            .adjust(Self.change((nil, nil, 0, nil))),
            .add(PictureFilter("scale", [.init("w", "64"), .init("h", "48")]))
        )
        let treated = await studio.apply(frames)[0].frame
        let samples = Self.samples(treated.packed.bytes, treated.shape.depth)
        let planes = format.hasPrefix("gbrp") ? 1 : 4
        let worst = (0..<64 * 48).map { pixel in
            let codes = (0..<3).map { planes == 1 ? samples[pixel + $0 * 64 * 48] : samples[pixel * planes + $0] }
            return (codes.max() ?? 0) - (codes.min() ?? 0)
        }
        #expect(worst.max() ?? 0 <= 1)
        #expect(studio.findings.withLock { $0 }.isEmpty)
    }

    @Test("adjustments and filters do not affect each other's settings")
    func independent() async throws {
        let studio = FilterStudio()
        let (path, frames) = try await studio.film(count: 1)
        try await studio.ask(.add(PictureFilter("negate")), .adjust(Self.change((0.2, nil, nil, nil))), .clear)
        let adjusted = await studio.apply(frames)[0].frame.packed.bytes
        try await studio.ask(.add(PictureFilter("negate")), .adjust(Self.change((0, nil, nil, nil))))
        let negated = await studio.apply(frames)[0].frame.packed.bytes
        #expect(try await studio.reference(path, "negate", format: "yuv420p", count: 1) == [negated])
        #expect(adjusted != frames[0].frame.packed.bytes && adjusted != negated)
    }
}
