// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Bindings
@testable import Reading

@Suite("The packets before a bridged segment")
struct LeadInTests {
    private static let pictures = [0, 1, 2, 3, 4, 5].map { number in
        Packet([], stream: 0, pts: Int64(number), flags: [1, 4].contains(number) ? .key : [])
    }

    private func times(_ packets: [Packet]) -> [Int64?] { packets.map(\.pts) }

    @Test("it begins at the last keyframe, wherever reading began")
    func keyframe() {
        for start in 0...4 {
            var leadIn = LeadIn()
            for packet in Self.pictures[start...] { leadIn.add(packet, isBoundary: false) }
            #expect(times(leadIn.packets) == [4, 5])
        }
        #expect(times(LeadIn.after(Self.pictures)) == [4, 5])
    }

    @Test("it is empty until a keyframe has been read, and a boundary of the plan counts as one")
    func boundary() {
        var leadIn = LeadIn()
        leadIn.add(Self.pictures[5], isBoundary: false)
        #expect(leadIn.packets.isEmpty)
        leadIn.add(Self.pictures[2], isBoundary: true)
        leadIn.add(Self.pictures[3], isBoundary: false)
        #expect(times(leadIn.packets) == [2, 3])
        #expect(times(LeadIn.after(Array(Self.pictures[2...3]))) == [2, 3])
        #expect(LeadIn.after([]).isEmpty)
    }
}
