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

    @Test("a slower one takes the fastest preset, and then smaller sizes, no further than needed")
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

    @Test("the smallest size is taken even if it is too slow, and sizes that change nothing are not tried")
    func smallest() throws {
        #expect(try choice(1920, 1080, pixels: 1).bridge.height == 360)
        let small = try choice(720, 576, pixels: 1)
        // 1080 and 720 lines change only the preset, and only once.
        #expect(small.bridge.height == 360 && small.trials == 3)
        let tiny = try choice(320, 240, pixels: 1)
        #expect(tiny.bridge.height == 240 && tiny.bridge.preset == "superfast")
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
