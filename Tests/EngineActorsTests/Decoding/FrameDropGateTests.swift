// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Decoding

@Suite("decoding while frames are skipped", .timeLimit(.minutes(10)))
struct FrameDropGateTests {
    private static func steps(
        _ packets: [(FrameDropPolicy.Step, isKey: Bool, shown: Int64?)],
        isLayered: Bool = false
    ) -> [FrameDropPolicy.Step] {
        var gate = FrameDropGate(isLayered: isLayered)
        return packets.map { gate.step($0.0, isKey: $0.isKey, shown: $0.shown) }
    }

    @Test("after a reference is skipped, no frame that may need it is decoded until the next random access point")
    func broken() {
        let steps = Self.steps([
            (.keyframes, true, 0), (.keyframes, false, 3), (.withoutUnreferenced, false, 6), (.everything, false, 9),
            (.everything, true, 12), (.everything, false, 15), (.everything, false, 13),
        ])
        #expect(
            steps == [.keyframes, .keyframes, .keyframes, .keyframes, .everything, .everything, .everything]
        )
    }

    @Test("frames that are shown before the random access point at which decoding resumes are skipped too")
    func leading() {
        let steps = Self.steps([
            (.keyframes, false, 3), (.everything, true, 12), (.everything, false, 10), (.everything, false, 11),
            (.rough, false, 15), (.rough, false, 13),
        ])
        #expect(steps == [.keyframes, .everything, .keyframes, .keyframes, .rough, .rough])
    }

    @Test("if presentation times are unknown, bidirectional frames are skipped for the first 16 packets")
    func unknown() {
        let follow = [(FrameDropPolicy.Step, isKey: Bool, shown: Int64?)](
            repeating: (.everything, false, nil),
            count: 17
        )
        let steps = Self.steps([(.keyframes, false, nil), (.everything, true, nil)] + follow)
        #expect(steps.dropFirst(2).prefix(16).allSatisfy { $0 == .withoutBidirectional })
        #expect(steps.last == .everything)
    }

    @Test("references are not skipped if B-frames may be references")
    func layered() {
        let packets = [(FrameDropPolicy.Step.withoutBidirectional, isKey: false, shown: Int64?.some(1))]
        #expect(Self.steps(packets, isLayered: true) == [.withoutUnreferenced])
        #expect(Self.steps(packets) == [.withoutBidirectional])
    }

    @Test("nothing is skipped while no frame is late")
    func whole() {
        let steps = Self.steps([(.everything, true, 0), (.everything, false, 3), (.everything, false, 1)])
        #expect(steps == [.everything, .everything, .everything])
    }
}
