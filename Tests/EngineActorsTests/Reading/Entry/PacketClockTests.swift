// SPDX-License-Identifier: Apache-2.0

import Bindings
import Testing

@testable import Reading

@Suite("The times of a video's packets")
struct PacketClockTests {
    /// The times of a packet. A packet without a position is one that libavformat split off from another one.
    private struct Times {
        var pts: Int64?
        var dts: Int64?
        var duration: Int64 = 0
        var position: Int64? = 100
    }

    /// What the clock says about one packet.
    private struct Stamp: Hashable {
        var time: Int64
        var shown: Int64?
    }

    private func entries(
        _ packets: [Times],
        _ timing: DecodingFacts.Timing,
        base: Int64 = 1000,
        isAtPicture: Bool = true
    ) -> [PictureRun.Entry?] {
        var clock = PacketClock(timing, from: Entrance(time: base, isAtPicture: isAtPicture))
        return packets.map { times in
            clock.timed(
                Packet(
                    [1],
                    stream: 0,
                    pts: times.pts,
                    dts: times.dts,
                    duration: times.duration,
                    position: times.position
                )
            )
        }
    }

    @Test("Packets that state when they are shown keep that time; others get their decode time as a guess")
    func shown() {
        let entries = entries(
            [.init(pts: 80, dts: 40), .init(dts: 60), .init(), .init(pts: 0)],
            .shown
        )
        #expect(entries.map { $0?.time } == [80, 60, nil, 0])
        #expect(entries.map { $0?.isGuess } == [false, true, nil, false])
        #expect(entries.map { $0?.decodeTime } == [40, nil, nil, nil])
        #expect(entries.map { $0?.packet.pts } == [80, nil, nil, 0], "the packets are unchanged")
    }

    @Test("Decode times are made unique; a packet without one gets its presentation time, if it has that")
    func decoded() {
        let packets: [Times] = [
            .init(dts: 0), .init(dts: 0), .init(dts: 40), .init(pts: 90), .init(), .init(dts: 20),
            .init(pts: 7, dts: 95),
        ]
        let entries = entries(packets, .decoded)
        #expect(entries.map { $0?.time } == [0, 1, 40, 90, nil, 91, 95])
        #expect(entries.map { $0?.packet.pts } == [0, 1, 40, 90, nil, 91, 95], "decoders pass the time on")
    }

    @Test(
        "Counted packets follow each other from the base on, at a fixed length or, if that is 0, their own durations",
        arguments: [
            (40, [1000, 1040, 1080, 1120]), (0, [1000, 1010, 1030, 1030]),
        ] as [(Int64, [Int64])]
    )
    func counted(length: Int64, times: [Int64]) {
        let packets: [Times] = [
            .init(duration: 10), .init(pts: 5, dts: 5, duration: 20), .init(duration: -1), .init(duration: 10),
        ]
        let entries = entries(packets, .counted(length))
        #expect(entries.map { $0?.time } == times)
        #expect(entries.map { $0?.packet.pts } == times)
    }

    @Test("A picture whose time the source does not state starts when the previous one ends")
    func partly() {
        let packets: [(Times, Stamp?)] = [
            // Nothing is known yet.
            (.init(position: nil), nil),
            // The source's own times.
            (.init(pts: 120, dts: 0), Stamp(time: 0, shown: 120)),
            // Guesses by libavformat: when a picture is shown is known only if that is when it is decoded (PTS = DTS).
            (.init(pts: 333, dts: 222, position: nil), Stamp(time: 40)),
            (.init(pts: 222, dts: 222, duration: 30, position: nil), Stamp(time: 80, shown: 80)),
            (.init(position: nil), Stamp(time: 110)),
            // The source's own times again, which may jump, but not back.
            (.init(pts: 540, dts: 500), Stamp(time: 500, shown: 540)),
            (.init(dts: 500), Stamp(time: 501)),
            (.init(position: nil), Stamp(time: 541)),
        ]
        let entries = entries(packets.map(\.0), .partly(40))
        #expect(entries.map { $0.map { Stamp(time: $0.time, shown: $0.shownTime) } } == packets.map(\.1))
        #expect(entries.map { $0?.packet.pts } == packets.map { $0.1?.time })
    }

    @Test("The rest of a picture whose beginning was not read does not have the time of the next picture")
    func cut() {
        let packets: [Times] = [.init(pts: 80, dts: 80), .init(pts: 120, dts: 120)]
        #expect(entries(packets, .partly(40), isAtPicture: false).map { $0?.time } == [nil, 120])
        #expect(entries(packets, .partly(40), isAtPicture: true).map { $0?.time } == [80, 120])
    }
}
