// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("Sizes that a machine encodes in real time")
struct BridgeSizeTests {
    /// The choice for a source, on a machine that encodes this many pixels per second, twice as many with the fastest preset.
    private func choice(
        _ width: Int,
        _ height: Int,
        pixels: Double?
    ) throws -> (bridge: VideoTarget, size: BridgeSize, slow: BridgeSize.Slowness?, trials: Int) {
        var trials = 0
        let found = try BridgeSize.chosen { limit in
            VideoTarget(width: width, height: height, frameRate: Ratio(25, 1), limit: limit)
        } target: {
            $0
        } speed: { target in
            trials += 1
            return pixels.map { $0 * (target.isFastest ? 2 : 1) / Double(target.width * target.height) }
        }
        return (found.bridge, found.size, found.slow, trials)
    }

    @Test("a machine that is fast enough, or whose speed is unknown, encodes the usual size")
    func usual() throws {
        for pixels in [1920 * 1080 * 25 * 1.2, nil] {
            let found = try choice(1920, 1080, pixels: pixels)
            #expect(found.bridge == VideoTarget(width: 1920, height: 1080, frameRate: Ratio(25, 1)))
            #expect(found.size == .unlimited && found.slow == nil && found.trials == 1)
        }
    }

    @Test("a slower machine takes the fastest preset, and then smaller sizes, no further than needed")
    func slower() throws {
        let needed = 1920 * 1080 * 25 * 1.2
        let fast = try choice(1920, 1080, pixels: needed * 0.99)
        #expect(fast.bridge.height == 1080 && fast.bridge.preset == "superfast" && fast.size.lines == 1080)
        #expect(fast.slow?.target.preset == "veryfast" && fast.trials == 2)
        let smaller = try choice(1920, 1080, pixels: needed * 0.49)
        #expect(smaller.bridge.height == 720 && smaller.size.lines == 720 && smaller.trials == 3)
        #expect(smaller.slow?.target.height == 1080)
        let portrait = try choice(1080, 1920, pixels: needed * 0.49)
        #expect(portrait.bridge.width == 720 && portrait.bridge.height == 1280)
    }

    @Test(
        "the fastest preset is tried first at the usual size, even if the source has more than 1080 lines",
        arguments: [1080, 1088, 1200]
    )
    func preset(height: Int) throws {
        let usual = VideoTarget(width: 1920, height: height, frameRate: Ratio(25, 1))
        let fast = try choice(1920, height, pixels: Double(usual.width * usual.height) * 25 * 1.2 * 0.99)
        #expect(fast.size.lines == 1080 && fast.bridge.isFastest && !usual.isFastest)
        #expect(fast.bridge.width == usual.width && fast.bridge.height == usual.height)
    }

    @Test("the smallest size is taken even if it is too slow, and sizes that change nothing are not tried")
    func smallest() throws {
        #expect(try choice(1920, 1080, pixels: 1).bridge.height == 360)
        let small = try choice(720, 576, pixels: 1)
        // 1080 and 720 lines change only the preset, and only once.
        #expect(small.bridge.height == 360 && small.trials == 3)
        let tiny = try choice(320, 240, pixels: 1)
        #expect(tiny.bridge.height == 240 && tiny.bridge.preset == "superfast")
    }

    @Test(
        "the largest size that a speed suffices for is taken, at each limit",
        arguments: [
            (62_208_000, 4320, 1080, "veryfast"), (62_207_999, 1080, 1080, "superfast"),
            (31_104_000, 1080, 1080, "superfast"), (31_103_999, 720, 720, "superfast"),
            (13_824_000, 720, 720, "superfast"), (13_823_999, 540, 540, "superfast"),
            (7_776_000, 540, 540, "superfast"), (7_775_999, 360, 360, "superfast"), (1, 360, 360, "superfast"),
        ]
    )
    func limits(pixels: Int, lines: Int, height: Int, preset: String) throws {
        let found = try choice(1920, 1080, pixels: Double(pixels))
        #expect(found.size.lines == lines && found.bridge.height == height && found.bridge.preset == preset)
        #expect((found.slow == nil) == (lines == 4320))
    }

    @Test("a speed follows from the CPU time, and from how many segments are encoded at the same time")
    func speed() {
        #expect(BridgeSize.speed(frames: 8, nanoseconds: 160_000_000, segments: 1) == 50)
        #expect(BridgeSize.speed(frames: 8, nanoseconds: 160_000_000, segments: 2) == 100)
        #expect(BridgeSize.speed(frames: 1, nanoseconds: 0, segments: 1) == 1e9)
        #expect(BridgeSize.speed(frames: 0, nanoseconds: 160_000_000, segments: 2) == nil)
    }

    @Test("sizes that the encoder does not support are not taken; if it supports none, there is no bridge")
    func unsupported() throws {
        func chosen(from smallest: Int) throws(PackagingError) -> Int {
            let found = try BridgeSize.chosen { (limit) throws(PackagingError) -> VideoTarget in
                guard limit.lines >= smallest else { throw PackagingError(.unsupportedFeature, "too small") }
                return VideoTarget(width: 1920, height: 1080, frameRate: Ratio(25, 1), limit: limit)
            } target: {
                $0
            } speed: { _ in
                1
            }
            return found.size.lines
        }
        #expect(try chosen(from: 360) == 360 && chosen(from: 361) == 540)
        #expect(try chosen(from: 1081) == 4320)
        #expect(throws: PackagingError.self) { try chosen(from: 4321) }
    }

    @Test(
        "video of more than 1280x720 at 30 frames per second is demanding",
        arguments: [
            (1280, 720, Ratio(30, 1), false), (1280, 720, Ratio(31, 1), true), (1280, 721, nil, false),
            (1280, 722, nil, true), (1920, 1080, Ratio(24, 1), true), (720, 576, Ratio(50, 1), false),
        ] as [(Int, Int, Ratio?, Bool)]
    )
    func demand(width: Int, height: Int, rate: Ratio?, isDemanding: Bool) {
        #expect(VideoTarget(width: width, height: height, frameRate: rate).isDemanding == isDemanding)
    }

    @Test("a limit that a client or a journal states gives the same target again")
    func restored() throws {
        for pixels in [1e9, 3e7, 1e7, 1] {
            let found = try choice(1920, 800, pixels: pixels)
            let limit = BridgeSize(lines: found.size.lines)
            #expect(VideoTarget(width: 1920, height: 800, frameRate: Ratio(25, 1), limit: limit) == found.bridge)
        }
        let stated = VideoTarget(width: 3840, height: 2160, frameRate: nil, limit: BridgeSize(lines: 2160))
        #expect(stated.height == 1080 && stated.isFastest)
    }
}
