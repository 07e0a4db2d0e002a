// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Reading

@Suite("Which frame is shown at which time of a bridged segment")
struct PictureSlotsTests {
    /// Assigns slots to decoded frames.
    ///
    /// - Parameter packets: the packet of each frame, in the order in which the decoder returns the frames.
    /// - Returns: for each frame that is used, its slot and the number of slots directly before it that got no frame.
    private func fill(_ slots: inout PictureSlots, _ packets: [Int]) -> [[Int]] {
        packets.compactMap { packet in
            slots.slot(ofPacket: packet).map { [$0, slots.fill($0)] }
        }
    }

    @Test("frames take the times of their packets, in presentation order")
    func stated() {
        // Shown as I B B P, decoded as I P B B.
        var slots = PictureSlots(of: [10, 40, 20, 30], statesTimes: true)
        #expect(slots.times == [10, 20, 30, 40] && !slots.hasLeadingPictures)
        #expect(fill(&slots, [0, 2, 3, 1]) == [[0, 0], [1, 0], [2, 0], [3, 0]])
    }

    @Test("pictures that are shown before the first packet's picture are leading; without packets there are no times")
    func leading() {
        #expect(PictureSlots(of: [30, 10, 20], statesTimes: true).hasLeadingPictures)
        #expect(PictureSlots(of: [], statesTimes: true).times.isEmpty)
    }

    @Test("a frame that is missing leaves a gap before the next one")
    func missing() {
        var slots = PictureSlots(of: [0, 1, 2, 3], statesTimes: true)
        #expect(fill(&slots, [1, 3]) == [[1, 1], [3, 1]])
    }

    @Test("where packets do not state when their pictures are shown, frames take the times in order")
    func ordered() {
        var slots = PictureSlots(of: [0, 1, 2], statesTimes: false)
        #expect(fill(&slots, [0, 2, 1]) == [[0, 0], [1, 0], [2, 0]])
        #expect(slots.slot(ofPacket: 1) == nil, "no slot is left once each time has a frame")
    }

    @Test(
        "packets of one picture share a time, packets that show nothing have none, and frames of passed slots are dropped"
    )
    func shared() {
        var slots = PictureSlots(of: [0, 0, nil, 1], statesTimes: true)
        #expect(slots.times == [0, 1])
        #expect(slots.slot(ofPacket: 2) == nil && slots.slot(ofPacket: 9) == nil)
        #expect(fill(&slots, [3, 0]) == [[1, 1]])
        var others = PictureSlots(of: [0, 1, 2], statesTimes: true)
        #expect(fill(&others, [1, 0, 2]) == [[1, 1], [2, 0]])
    }
}
