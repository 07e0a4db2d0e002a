// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("Stored transport streams whose video changes")
struct TransportPartsTests {
    private func search(_ bytes: [UInt8], requiring stream: Int? = nil, piece: Int = 1000) -> CodecChangeSearch {
        var search = CodecChangeSearch()
        if let stream { search.require(stream: stream) }
        for start in stride(from: 0, to: bytes.count, by: piece) {
            search.add(Array(bytes[start..<min(bytes.count, start + piece)]))
        }
        return search
    }

    @Test("A source ends where its video continues in another codec", arguments: [188, 1000, 100_000])
    func ends(piece: Int) {
        let first = StoredChannel.bytes([0x1B, 0x1B])
        let whole = StoredChannel.bytes([0x1B, 0x1B, 0x24, 0x1B])
        #expect(search(first, piece: piece).end == nil)
        let found = search(whole, piece: piece)
        // The program map follows the association.
        #expect(found.end == Int64(first.count + 188))
        #expect(found.changes.first?.kind == .replaced("H.264", 0x100, by: "HEVC", as: 0x100))
    }

    @Test("A source ends where its video moves to another PID, or another program takes the place of the first one")
    func moves() {
        for (video, program, map) in [(0x110, 1, 0x1000), (0x100, 2, 0x1001), (0x110, 2, 0x1001)] {
            var channel = StoredChannel()
            channel.addSecond(of: 0x1B)
            let count = channel.bytes.count
            channel.addSecond(of: video == 0x100 ? 0x24 : 0x1B, on: video, program: program, map: map)
            #expect(search(channel.bytes, requiring: 0x100).end == Int64(count + 188))
        }
        var same = StoredChannel()
        same.addSecond(of: 0x1B)
        same.addSecond(of: 0x1B, program: 2, map: 0x1001)
        #expect(search(same.bytes, requiring: 0x100).end == nil)
    }

    private func parts(_ bytes: [UInt8]) throws -> (TransportParts, TransportParts.Read)? {
        let read: TransportParts.Read = { offset, count in
            Array(bytes[min(bytes.count, Int(offset))..<min(bytes.count, Int(offset) + count)])
        }
        return try TransportParts(byteCount: Int64(bytes.count), read: read).map { ($0, read) }
    }

    @Test("A source with the same video throughout is not divided")
    func undivided() throws {
        #expect(try parts(StoredChannel.bytes([0x1B, 0x1B])) == nil)
        #expect(try parts([UInt8](repeating: 0x47, count: 5000)) == nil)
        #expect(try parts([1, 2, 3]) == nil)
    }

    @Test("Segments begin with keyframes, and a part begins with each change of codec, which may change back")
    func segments() throws {
        let types: [UInt8] =
            Array(repeating: 0x02, count: 10) + Array(repeating: 0x1B, count: 9) + Array(repeating: 0x02, count: 4)
        let (parts, read) = try #require(try parts(StoredChannel.bytes(types)))
        #expect(parts.parts.map(\.video.kind.name) == ["MPEG-2 video", "H.264", "MPEG-2 video"])
        let segments = try parts.segments(read: read)
        #expect(segments.filter(\.isDiscontinuous).count == 3)
        let seconds = segments.reduce(0.0) { $0 + $1.duration.seconds }
        #expect(abs(seconds - 23) < 0.2)
        #expect(segments.allSatisfy { $0.duration.seconds < 7 })
    }

    @Test("Every unit is whole, and in the segment in which it begins")
    func units() throws {
        let bytes = StoredChannel.bytes(Array(repeating: 0x02, count: 6) + Array(repeating: 0x1B, count: 6))
        let (parts, read) = try #require(try parts(bytes))
        var packets: [Int: Int] = [:]
        for segment in try parts.segments(read: read) {
            let content = try parts.content(of: segment.range, read: read)
            #expect(content.count % 188 == 0)
            var begun: Set<Int> = []
            for place in stride(from: 0, to: content.count, by: 188) {
                let packet = try #require(TransportPacket(content, at: place))
                if packet.payload == .rest {
                    #expect(begun.contains(packet.stream))
                } else {
                    begun.insert(packet.stream)
                }
                packets[packet.stream, default: 0] += 1
            }
            #expect(TransportPacket(content, at: 0)?.stream == 0)
        }
        // The last packet of all is missing from the stream.
        #expect(packets[0x100] == 12 * 25 * 4 && packets[0x101] == 12 * 25 * 2 - 1)
    }
}
