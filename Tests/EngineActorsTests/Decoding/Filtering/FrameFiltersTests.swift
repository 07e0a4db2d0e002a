// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Testing

@testable import Bindings
@testable import Decoding

@Suite("Filters, adjustments and overlays on frames", .timeLimit(.minutes(10)), .needsFFmpegCommand)
struct FrameFiltersTests {
    @Test("with nothing to apply, the same object is returned")
    func identity() async throws {
        let studio = FilterStudio()
        let (_, frames) = try await studio.film()
        let treated = await studio.apply(frames)
        #expect(zip(treated, frames).allSatisfy { $0.frame === $1.frame && $0.time == $1.time })
        try await studio.ask(.add(PictureFilter("hflip")))
        _ = await studio.apply(frames)
        try await studio.ask(.clear)
        #expect(await studio.apply(frames).elementsEqual(frames) { $0.frame === $1.frame })
    }

    @Test(
        "filters output the same pixels as ffmpeg",
        arguments: [
            ("yuv420p", [PictureFilter("hflip")]), ("yuv420p", [PictureFilter("negate"), PictureFilter("vflip")]),
            ("yuv420p", [PictureFilter("gblur", [.init("sigma", "2.5")]), PictureFilter("hue", [.init("h", "90")])]),
            ("yuv420p10le", [PictureFilter("unsharp", [.init("luma_amount", "2")])]),
            ("yuv420p10le", [PictureFilter("hue", [.init("s", "0.5")])]),
            ("yuv420p", [PictureFilter("hqdn3d", [.init("luma_tmp", "20")])]),
            ("yuv444p", [PictureFilter("colorbalance", [.init("rs", "0.5")])]),
            ("gray", [PictureFilter("edgedetect")]), ("bgr0", [PictureFilter("vibrance", [.init("intensity", "1")])]),
            ("yuv420p", [PictureFilter("transpose", [.init("dir", "clock")])]),
            ("yuv420p", [PictureFilter("crop", [.init("w", "32"), .init("h", "16")])]),
        ]
    )
    func equalsFFmpeg(format: String, filters: [PictureFilter]) async throws {
        let studio = FilterStudio()
        let (path, frames) = try await studio.film(format)
        for filter in filters { try await studio.ask(.add(filter)) }
        let treated = await studio.apply(frames)
        let chain = filters.map(\.description).joined(separator: ",")
        let expected = try await studio.reference(path, chain, format: format, count: frames.count)
        #expect(treated.map(\.time) == frames.map(\.time) && treated.map(\.duration) == frames.map(\.duration))
        #expect(treated.map(\.frame.pts) == frames.map(\.frame.pts))
        for (timed, bytes) in zip(treated, expected) { #expect(timed.frame.packed.bytes == bytes) }
        #expect(studio.findings.withLock { $0 }.isEmpty)
    }

    @Test(
        "every filter of the catalogue outputs one frame for each input frame, in the same format",
        arguments: FilterCatalog.filters.keys.sorted()
    )
    func oneForOne(name: String) async throws {
        let studio = FilterStudio()
        let (_, frames) = try await studio.film(count: 4)
        let needed = FilterCatalog.required[name] ?? []
        try await studio.ask(.add(PictureFilter(name, needed.map { .init($0, "16") })))
        let treated = await studio.apply(frames)
        #expect(treated.map(\.time) == frames.map(\.time))
        #expect(treated.allSatisfy { $0.frame.shape.pixelFormat == "yuv420p" })
        #expect(studio.findings.withLock { $0 }.isEmpty)
    }

    @Test(
        "libavfilter accepts every option of the catalogue at its limits",
        arguments: FilterCatalog.filters.keys.sorted()
    )
    func options(name: String) async throws {
        let studio = FilterStudio()
        let (_, frames) = try await studio.film(size: "640x480", count: 1)
        let needed = FilterCatalog.required[name] ?? []
        for (option, kind) in try #require(FilterCatalog.filters[name]) {
            for value in kind.limits {
                let others = needed.filter { $0 != option }.map { PictureFilter.Option($0, "16") }
                try await studio.ask(.clear, .add(PictureFilter(name, others + [.init(option, value)])))
                _ = await studio.apply(frames)
            }
        }
        // The rectangle of `crop` may lie outside the frame; no value of another filter may fail.
        let isPlaced = ["crop"].contains(name)
        #expect(isPlaced || studio.findings.withLock { $0 }.isEmpty, "\(studio.findings.withLock { $0 })")
    }

    @Test("a change takes effect between two frames; no frame is lost, duplicated or out of order")
    func liveChange() async throws {
        let studio = FilterStudio()
        let (path, frames) = try await studio.film(count: 9)
        let flipped = try await studio.reference(path, "hflip", format: "yuv420p", count: 9)
        let negated = try await studio.reference(path, "hflip,negate", format: "yuv420p", count: 9)
        var treated = await studio.apply(Array(frames[..<2]))
        try await studio.ask(.add(PictureFilter("hflip")))
        treated += await studio.apply(Array(frames[2..<4]))
        try await studio.ask(.add(PictureFilter("negate")))
        treated += await studio.apply(Array(frames[4..<6]))
        try await studio.ask(.remove(filter: 2))
        treated += await studio.apply(Array(frames[6..<8]))
        try await studio.ask(.clear)
        treated += await studio.apply(Array(frames[8...]))
        #expect(treated.map(\.time) == frames.map(\.time))
        let original = frames.map { $0.frame.packed.bytes }
        let expected = [original[..<2], flipped[2..<4], negated[4..<6], flipped[6..<8], original[8...]]
        #expect(treated.map { $0.frame.packed.bytes } == Array(expected.joined()))
    }

    @Test("a filter that does not work on the frames is removed and reported; the others stay")
    func failing() async throws {
        let studio = FilterStudio()
        let (path, frames) = try await studio.film()
        let crop = PictureFilter("crop", [.init("w", "4000"), .init("h", "4000")])
        try await studio.ask(.add(PictureFilter("hflip")), .add(crop), .add(PictureFilter("negate")))
        let treated = await studio.apply(frames)
        let expected = try await studio.reference(path, "hflip,negate", format: "yuv420p", count: frames.count)
        #expect(treated.map { $0.frame.packed.bytes } == expected)
        let findings = studio.findings.withLock { $0 }
        #expect(findings.count == 1)
        guard case .filterFailed(let filter, _) = findings.first else {
            Issue.record("\(findings)")
            return
        }
        #expect(filter == AppliedFilter(id: 2, filter: crop))
    }

    @Test("filters continue when frames change size or format midway")
    func otherFrames() async throws {
        let studio = FilterStudio()
        let (_, small) = try await studio.film()
        let (path, large) = try await studio.film("yuv422p10le", size: "128x72")
        try await studio.ask(.add(PictureFilter("vflip")))
        _ = await studio.apply(small)
        let treated = await studio.apply(large)
        let expected = try await studio.reference(path, "vflip", format: "yuv422p10le", count: large.count)
        #expect(treated.map { $0.frame.packed.bytes } == expected)
    }

    @Test("after a flush, no filter mixes frames with earlier ones")
    func flush() async throws {
        let studio = FilterStudio()
        let (path, frames) = try await studio.film()
        try await studio.ask(.add(PictureFilter("hqdn3d", [.init("luma_tmp", "40")])))
        _ = await studio.apply([frames[5], frames[4], frames[3]])
        await studio.flush()
        let treated = await studio.apply(frames)
        let expected = try await studio.reference(path, "hqdn3d=luma_tmp=40", format: "yuv420p", count: 6)
        #expect(treated.map { $0.frame.packed.bytes } == expected)
    }
}

extension FilterOptionKind {
    /// The smallest and the largest number, every word, or black and white.
    fileprivate var limits: [String] {
        switch self {
        case .integer(let range), .odd(let range): ["\(range.lowerBound)", "\(range.upperBound)"]
        case .number(let range): [Self.plain(range.lowerBound), Self.plain(range.upperBound)]
        case .flag: ["0", "1"]
        case .word(let words): words.sorted()
        case .color: ["#000000", "#ffffff"]
        }
    }
}
