// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Decoding

@Suite("audio that cannot be decoded after a discontinuity", .timeLimit(.minutes(10)))
struct UndecodedAudioTests {
    /// What the packets of a format yield, and the packet with which the format is given up.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The number of frames of each packet; `nil`: the position changes before the next packet.
        let frames: [Int?]
        let found: Int?

        init(_ name: String, _ frames: [Int?], found: Int?) {
            (testDescription, self.frames, self.found) = (name, frames, found)
        }
    }

    private static func silent(_ count: Int) -> [Int?] { Array(repeating: 0, count: count) }

    private static let cases = [
        Case("no packets", [], found: nil),
        Case("one packet less than the limit", silent(15), found: nil),
        Case("as many packets as the limit", silent(16), found: 15),
        Case("more packets are reported once", silent(40), found: 15),
        Case("the first packet is decoded", [1] + silent(40), found: nil),
        Case("the last packet before the limit is decoded", silent(15) + [1] + silent(40), found: nil),
        Case("a packet with several frames", silent(3) + [4] + silent(40), found: nil),
        Case("packets before another position do not count", silent(15) + [nil] + silent(15), found: nil),
        Case("packets after another position do", silent(15) + [nil] + silent(16), found: 30),
        Case("what was decoded once is not doubted later", [1, nil] + silent(40), found: nil),
    ]

    @Test("a format is given up after its first packets have yielded nothing", arguments: cases)
    func trial(each: Case) {
        var trial = FormatTrial()
        var found: [Int] = []
        var (place, start) = (0, 0)
        for frames in each.frames {
            guard let frames else {
                trial.flush()
                start = place
                continue
            }
            if let failure = trial.note(at: .seconds(Double(place)), yielding: frames) {
                #expect(failure.start == .seconds(Double(start)) && failure.packets == FormatTrial.limit)
                found.append(place)
            }
            place += 1
        }
        #expect(found == (each.found.map { [$0] } ?? []))
    }

    @Test("counters keep the first finding about each stream and codec")
    func counters() {
        func audio(_ stream: Int, _ codec: String?, at time: Double) -> UndecodedAudio {
            let subject = UndecodedAudio.Subject(stream: stream, codec: codec.map { CodecID(rawValue: $0) })
            return UndecodedAudio(subject, at: .seconds(time), because: "test")
        }
        var (one, other) = (DecodingCounters(), DecodingCounters())
        one.note(audio(1, "ac4", at: 4))
        one.note(audio(1, "ac4", at: 8))
        other.note(audio(1, "ac4", at: 2))
        other.note(audio(1, nil, at: 6))
        other.note(audio(2, "ac4", at: 7))
        let sum = one.adding(other)
        let found = sum.undecodedAudio.values.sorted { ($0.time ?? .zero) < ($1.time ?? .zero) }
        #expect(found == [audio(1, "ac4", at: 4), audio(1, nil, at: 6), audio(2, "ac4", at: 7)])
        #expect(one.undecodedAudio.count == 1 && one.adding(nil) == one)
    }
}
