// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
import Testing

@testable import Bindings
@testable import Reading

@Suite("Pictures that an edit list hides")
struct HiddenPicturesTests {
    /// Pictures of 40 ticks. `D` marks hidden ones, `K` keyframes.
    private let script = PacketScript(stream: 0, frame: 40)

    private func line(_ packets: [Packet]) -> String {
        packets.map { "\($0.isKey ? "K" : "")\($0.isDiscarded ? "D" : "")\(($0.pts ?? 0) / 40)" }.joined(separator: " ")
    }

    @Test(
        "hidden pictures on which no presented picture depends are left out",
        arguments: [
            // After the last presented picture, unless pictures of the next segment may depend on them.
            ("K0 2 1 D3 D5 D4", true, "K0 2 1"), ("K0 2 1 D3 D5 D4", false, "K0 2 1 D3 D5 D4"),
            // A reference that lies past the end of the edit.
            ("K0 D4 2 1 3 D5", true, "K0 D4 2 1 3"),
            // Before the keyframe at which decoding for the next edit begins, whether it is hidden or presented.
            ("K0 1 D2 KD3 D4 KD1 D2 3 4", true, "K0 1 KD1 D2 3 4"), ("K0 1 D2 KD3 D4 K2 3", true, "K0 1 K2 3"),
            // Pictures that precede a keyframe in presentation may depend on pictures before it.
            ("K0 1 D2 KD6 4 5 D7", true, "K0 1 D2 KD6 4 5"), ("K0 1 D2 K6 4 5", true, "K0 1 D2 K6 4 5"),
            // Before the first presented picture, all are kept.
            ("KD0 D1 KD2 D3 4 5 D6", true, "KD0 D1 KD2 D3 4 5"), ("KD0 D1", true, "KD0 D1"), ("K0 1", false, "K0 1"),
        ]
    )
    func needed(pictures: String, isClosed: Bool, expected: String) {
        #expect(line(HiddenPictures.needed(script.packets(pictures), isClosed: isClosed)) == expected)
    }

    @Test(
        "the other hidden pictures are shown for one tick each, directly before the next presented picture or the end",
        arguments: [
            ("K0 2 1 3", true, 160, [0, 80, 40, 120]),
            ("K0 D4 2 1 3", true, 160, [0, 159, 80, 40, 120]),
            ("K0 D5 D4 2 1 3", false, nil, [0, 120, 120, 80, 40, 120]),
            // At the start of the first segment they lie before the timeline.
            ("KD-3 D-2 0 D-1 1", true, 80, [-120, -80, 0, -40, 40]),
            ("K0 D2 1 KD0 D1 2 3", true, 160, [0, 77, 40, 78, 79, 80, 120]),
            // Several pictures before one that is presented get a tick each.
            ("K0 D1 D1 D1 1", true, 80, [0, 37, 38, 39, 40]),
        ] as [(String, Bool, Int64?, [Int64])]
    )
    func placed(pictures: String, isFirst: Bool, end: Int64?, expected: [Int64]) {
        let timed = script.packets(pictures).map { TimedPacket(packet: $0, time: $0.pts ?? 0) }
        #expect(HiddenPictures.placed(timed, isFirst: isFirst, end: end).map(\.time) == expected)
    }

    @Test("without room for a tick each, hidden pictures share the time of the previous presented picture")
    func crowded() {
        let timed = PacketScript(frame: 2).packets("K0 D1 D1 D1 1").map { TimedPacket(packet: $0, time: $0.pts ?? 0) }
        #expect(HiddenPictures.placed(timed, isFirst: true, end: 4).map(\.time) == [0, 0, 0, 1, 2])
    }
}
