// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@Suite("Windows of drawn subtitles")
struct DrawnWindowsTests {
    private func image(_ number: Int) -> CueImage {
        CueImage(
            png: [UInt8(number)],
            width: 1,
            height: 1,
            corner: CuePosition(x: 0, y: 0),
            extent: CuePosition(x: 1, y: 1),
            canvasWidth: 1,
            canvasHeight: 1
        )
    }

    private func picture(from start: Double, to end: Double?, _ images: Int...) -> DrawnPicture {
        DrawnPicture(start: .seconds(start), end: end.map(MediaTime.seconds), images: images.map(image))
    }

    private func times(_ seconds: Double...) -> [MediaTime] { seconds.map(MediaTime.seconds) }

    @Test("windows follow each other without a gap, even before zero", arguments: [-2, -1, 0, 1, 1000] as [Int64])
    func ranges(window: Int64) {
        let range = DrawnWindows.range(of: window)
        #expect(range.end == DrawnWindows.range(of: window + 1).start)
        let inside = [range.start, range.end - MediaTime(microseconds: 1)]
        for time in inside {
            var windows = DrawnWindows()
            let change = windows.request([time])
            #expect(change.begun == [window, window + 1])
        }
    }

    @Test("each window is drawn once, the next one ahead of time; those far away are forgotten")
    func requests() {
        var windows = DrawnWindows()
        let first = windows.request(times(1.9, 2.1))
        #expect(first == .init(begun: [0, 1, 2]))
        let same = windows.request(times(2.5))
        #expect(same == .init())
        let later = windows.request(times(4.5))
        #expect(later == .init(begun: [3], dropped: [0]))
        // A seek back.
        let back = windows.request(times(0.5))
        #expect(back == .init(begun: [0], dropped: [2, 3]))
        let nothing = windows.request([])
        #expect(nothing == .init())
    }

    @Test("frames wait for their own windows only")
    func waiting() {
        var windows = DrawnWindows()
        _ = windows.request(times(0.5))
        #expect(windows.isWorthWaiting(for: times(0.5)))
        let wasLate = windows.finish(0, [])
        #expect(!wasLate)
        #expect(!windows.isWorthWaiting(for: times(0.5)))
        #expect(windows.isWorthWaiting(for: times(1.9, 2.1)))
        let isLate = windows.pass(times(0.5))
        #expect(!isLate)
    }

    @Test("after a wait has timed out, frames pass without waiting, until the drawing has caught up")
    func falling() {
        var windows = DrawnWindows()
        _ = windows.request(times(0.5))
        let isLate = windows.pass(times(0.5))
        #expect(isLate)
        #expect(!windows.isWorthWaiting(for: times(0.6)) && !windows.isWorthWaiting(for: times(2.5)))
        #expect(windows.images(at: .seconds(0.5)).isEmpty)
        // Frames have passed without the first window, but none without the second.
        let wasFirstLate = windows.finish(0, [[picture(from: 0, to: 2, 1)]])
        #expect(wasFirstLate)
        let wasSecondLate = windows.finish(1, [])
        #expect(!wasSecondLate)
        #expect(windows.images(at: .seconds(0.5)) == [image(1)])
        _ = windows.request(times(0.7))
        let isStillLate = windows.pass(times(0.7))
        #expect(!isStillLate)
        _ = windows.request(times(4.5))
        #expect(windows.isWorthWaiting(for: times(4.5)))
    }

    @Test("a window that is forgotten while it is drawn takes no pictures")
    func forgotten() {
        var windows = DrawnWindows()
        _ = windows.request(times(0.5))
        _ = windows.pass(times(0.5))
        _ = windows.request(times(100))
        let wasLate = windows.finish(0, [[picture(from: 0, to: nil, 1)]])
        #expect(!wasLate)
        #expect(windows.images(at: .seconds(0.5)).isEmpty)
    }

    @Test(
        "each track shows the last picture that has begun, unless it has ended",
        arguments: [
            (0.05, []), (0.1, [1]), (0.49, [1]), (0.5, [2, 3, 9]), (0.99, [2, 3, 9]), (1, [9]), (1.2, [9]), (1.6, [4]),
            (1.99, [4]),
        ] as [(Double, [Int])]
    )
    func images(time: Double, expected: [Int]) {
        var windows = DrawnWindows()
        _ = windows.request(times(0.5))
        let first = [
            picture(from: 0.1, to: 0.5, 1), picture(from: 0.5, to: 1, 2, 3), picture(from: 1, to: 1.6),
            picture(from: 1.6, to: nil, 4),
        ]
        _ = windows.finish(0, [first, [picture(from: 0.5, to: 1.5, 9)]])
        #expect(windows.images(at: .seconds(time)) == expected.map(image))
    }
}
