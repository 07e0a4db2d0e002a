// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
import Testing

@testable import Packaging

@Suite("Segments of presentation graphics", .timeLimit(.minutes(10)))
struct GraphicsSegmentsTests {
    private let end: [UInt8] = [0x80, 0, 0]

    private func segment(_ kind: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [kind, UInt8(payload.count >> 8), UInt8(payload.count & 255)] + payload
    }

    private func composition(_ objects: [UInt8], state: UInt8 = 0x80) -> [UInt8] {
        let head: [UInt8] = [1, 64, 0, 180, 16, 0, 0, state, 0, 0, UInt8(objects.count)]
        return segment(0x16, objects.reduce(head) { $0 + [0, $1, 0, 0, 0, 0, 0, 0] })
    }

    /// An object of `count` bytes, all present except `missing`.
    private func object(_ id: UInt8, count: Int = 6, missing: Int = 0) -> [UInt8] {
        let data = [UInt8](repeating: 1, count: count - missing)
        return segment(0x15, [0, id, 0, 0xC0, 0, 0, UInt8(count + 4), 0, 2, 0, 2] + data)
    }

    private func repaired(_ packets: [[UInt8]]) -> [[[UInt8]]?] {
        var segments = GraphicsSegments()
        return packets.map { segments.repaired($0.span) }
    }

    @Test("Complete sets are unchanged, in one packet or in many")
    func whole() {
        let set = [composition([0, 1]), object(0), object(1), end]
        #expect(repaired([set.flatMap(\.self)]) == [nil])
        #expect(repaired(set) == [nil, nil, nil, nil])
        #expect(repaired([composition([]) + end, composition([])]) == [nil, nil])
    }

    @Test("A display set without an end segment gets one, in its own packet or before the next set")
    func missingEnd() {
        let set = composition([0]) + object(0)
        #expect(repaired([set]) == [[set + end]])
        let next = composition([])
        #expect(repaired([composition([0]), object(0), next]) == [nil, nil, [end, next]])
        #expect(repaired([set + next]) == [[set + end, next]])
    }

    @Test("A display set that lacks part of what it shows gets no end segment")
    func incomplete() {
        let set = composition([0, 1]) + object(0) + object(1, missing: 2)
        #expect(repaired([set, composition([0])]) == [nil, nil])
        #expect(repaired([composition([0, 1]) + object(0), composition([])]) == [nil, nil])
    }

    @Test("Objects are valid throughout their epoch")
    func epochs() {
        let first = composition([0]) + object(0) + end
        // In a continued epoch, everything the set shows is present.
        #expect(repaired([first, composition([0], state: 0), composition([])]) == [nil, nil, [end, composition([])]])
        #expect(repaired([first, composition([0]), composition([])]) == [nil, nil, nil])
    }

    @Test("Segment headers of .sup files are removed")
    func heads() {
        let head = Array("PG".utf8) + [UInt8](repeating: 7, count: 8)
        let set = [composition([0]), object(0), end]
        #expect(repaired([set.flatMap { head + $0 }]) == [[set.flatMap(\.self)]])
    }

    @Test("With arbitrary bytes, nothing but end segments is inserted")
    func noise() {
        var random = SplitMix(state: 7)
        var segments = GraphicsSegments()
        for _ in 0..<2000 {
            let kinds: [UInt8] = [0x14, 0x15, 0x16, 0x17, 0x80]
            var packet: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<5, using: &random) {
                let payload = (0..<Int.random(in: 0..<30, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                packet += segment(kinds[Int.random(in: 0..<5, using: &random)], payload)
            }
            if Bool.random(using: &random) { packet = packet.dropLast(3) + [] }
            let pieces = segments.repaired(packet.span) ?? [packet]
            #expect(pieces.reduce(0) { $0 + $1.count } <= packet.count + 3 * (pieces.count + 1))
        }
    }
}
