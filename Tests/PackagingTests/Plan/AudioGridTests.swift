// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("Exact times of audio frames")
struct AudioGridTests {
    @Test("undoes the rounding of Matroska's milliseconds")
    func milliseconds() {
        let grid = AudioGrid(source: .hertz(1000), sampleRate: 48_000, origin: 0, firstTime: 0, frameLength: 1024)
        for frame in Int64(0)..<10_000 {
            let rounded = TimeBase.hertz(48_000).rescale(frame * 1024, to: .hertz(1000))
            #expect(grid.samples(at: rounded) == frame * 1024)
            let cut = TimeBase.hertz(48_000).rescale(frame * 1024, to: .hertz(1000), rounding: .down)
            #expect(grid.samples(at: cut) == frame * 1024)
        }
    }

    @Test("counts from the timeline's origin and keeps times before it")
    func origin() {
        let grid = AudioGrid(
            source: .hertz(90_000),
            sampleRate: 48_000,
            origin: 126_000,
            firstTime: 124_080,
            frameLength: 1024
        )
        #expect(grid.samples(at: 124_080) == -1024)
        #expect(grid.samples(at: 126_000) == 0)
    }

    @Test(
        "a frame is shorter than the others only by more than rounding explains",
        // By how many ticks of 1 ms, and the samples that remain of 1024.
        arguments: [(-5, 1024), (0, 1024), (2, 1024), (3, 880), (20, 64), (22, 1024), (900, 1024)]
    )
    func lastFrame(ticks: Int64, samples: Int64) {
        let grid = AudioGrid(source: .hertz(1000), sampleRate: 48_000, origin: 0, firstTime: 0, frameLength: 1024)
        #expect(grid.length(ofFrameShorterBy: ticks) == samples)
        let variable = AudioGrid(source: .hertz(1000), sampleRate: 48_000, origin: 0, firstTime: 0, frameLength: nil)
        #expect(variable.length(ofFrameShorterBy: ticks) == nil)
    }

    @Test("leaves a time far from any frame edge unchanged")
    func gap() {
        let grid = AudioGrid(source: .hertz(1000), sampleRate: 48_000, origin: 0, firstTime: 0, frameLength: 1024)
        #expect(grid.samples(at: 10_010) == 480_480)
    }

    @Test(
        "snaps a time within the container's error to the frame edge, even before the first frame",
        arguments: [(2012, 1024), (2014, 1074), (-1875, -1024)] as [(Int64, Int64)]
    )
    func tolerance(time: Int64, samples: Int64) {
        let grid = AudioGrid(source: .hertz(90_000), sampleRate: 48_000, origin: 0, firstTime: 0, frameLength: 1024)
        #expect(grid.samples(at: time) == samples)
    }

    @Test("finds the frame that starts a segment")
    func cuts() {
        let grid = AudioGrid(source: .hertz(1000), sampleRate: 48_000, origin: 0, firstTime: 0, frameLength: 1024)
        #expect(grid.frameStart(atOrAfter: 192_000) == 192_512)
        #expect(grid.frameStart(atOrAfter: 1024) == 1024)
        #expect(grid.frameStart(atOrAfter: -5) == 0)
    }

    @Test("if reading begins within the timeline, the grid also has frames before the first packet")
    func inside() {
        let grid = AudioGrid(
            source: .hertz(90_000),
            sampleRate: 48_000,
            origin: 0,
            firstTime: 90_000 * 27,
            frameLength: 1024,
            isBounded: false
        )
        let first: Int64 = 48_000 * 27
        #expect(grid.frameStart(atOrAfter: first) == first && grid.frameStart(atOrAfter: first + 1) == first + 1024)
        #expect(
            grid.frameStart(atOrAfter: first - 1) == first && grid.frameStart(atOrAfter: first - 1024) == first - 1024
        )
        for second in Int64(0)..<27 {
            let start = grid.frameStart(atOrAfter: second * 48_000)
            #expect((0..<1024).contains(start - second * 48_000) && (first - start) % 1024 == 0)
        }
    }
}
