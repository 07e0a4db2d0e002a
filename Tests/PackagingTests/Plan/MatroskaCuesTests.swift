// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
import Testing

@testable import Packaging

@Suite("Blocks indexed by the Cues of a file", .timeLimit(.minutes(10)))
struct MatroskaCuesTests {
    private static func element(_ id: String, _ content: [UInt8]) -> [UInt8] {
        let size = [16, 8, 0].map { (shift: Int) in UInt8(truncatingIfNeeded: content.count >> shift) }
        return hex(id) + [0x10 | UInt8(content.count >> 24)] + size + content
    }

    private static func track(_ number: UInt8, _ type: UInt8) -> [UInt8] {
        element("ae", element("d7", [number]) + element("83", [type]) + element("86", Array("X".utf8)))
    }

    private static func point(_ time: UInt16, _ positions: [[UInt8]]) -> [UInt8] {
        let clock = element("b3", [UInt8(time >> 8), UInt8(time & 255)])
        return element("bb", clock + positions.flatMap { element("b7", $0) })
    }

    /// Tracks 7 (video), 9 (buttons, which libavformat ignores) and 3 (subtitles).
    private static let tracks = element("1654ae6b", track(7, 1) + track(9, 0x12) + track(3, 0x11))
    private static let cues = element(
        "1c53bb6b",
        point(1000, [element("f7", [7]) + element("f1", [100])])
            + point(
                2000,
                [
                    element("f7", [7]) + element("f1", [200]),
                    element("f7", [3]) + element("f1", [200]) + element("f0", [50]) + element("b2", [0x75, 0x30]),
                ]
            )
            + point(3000, [element("f7", [9]) + element("f1", [1])])
    )
    private static let header = element("1a45dfa3", [])

    private static func file(_ segment: [UInt8]) -> [UInt8] { header + element("18538067", segment) }

    private static func entries(_ bytes: [UInt8]) -> [Int: [MatroskaCues.Entry]] {
        MatroskaCues { offset, count in
            guard offset >= 0, offset < bytes.count else { return [] }
            return Array(bytes[Int(offset)...].prefix(count))
        }.entries
    }

    /// The file offset of the segment's content.
    private static let start = Int64(header.count + 8)
    private static let expected: [Int: [MatroskaCues.Entry]] = [
        0: [
            .init(time: 1000, duration: nil, position: start + 100),
            .init(time: 2000, duration: nil, position: start + 200),
        ],
        1: [.init(time: 2000, duration: 30_000, position: start + 250)],
    ]

    @Test("Cues before the clusters are found, and assigned to streams by the order of the tracks")
    func front() { #expect(Self.entries(Self.file(Self.tracks + Self.cues)) == Self.expected) }

    @Test("Cues at the end are found through the SeekHead, or through a second one")
    func end() {
        func seek(_ id: String, _ position: Int) -> [UInt8] {
            let place = [UInt8(position >> 8), UInt8(position & 255)]
            return Self.element("4dbb", Self.element("53ab", hex(id)) + Self.element("53ac", place))
        }
        let cluster = Self.element("1f43b675", [UInt8](repeating: 0, count: 300))
        let head = Self.element("114d9b74", seek("1c53bb6b", 0)).count
        let middle = Self.tracks + cluster
        let place = head + middle.count
        #expect(
            Self.entries(Self.file(Self.element("114d9b74", seek("1c53bb6b", place)) + middle + Self.cues))
                == Self.expected
        )
        let second = Self.element("114d9b74", seek("1c53bb6b", place + head))
        let first = Self.element("114d9b74", seek("114d9b74", place))
        #expect(Self.entries(Self.file(first + middle + second + Self.cues)) == Self.expected)
    }

    @Test("Streams whose blocks are stored compressed are known by their encodings")
    func compressed() {
        func encoding(_ fields: [UInt8]) -> [UInt8] { Self.element("6d80", Self.element("6240", fields)) }
        let compression = Self.element("5034", Self.element("4254", [3]) + Self.element("4255", [0]))
        let encodings = [
            [], encoding(compression), encoding(Self.element("5033", [1])),
            encoding(Self.element("5032", [2]) + compression), encoding(Self.element("5032", [3]) + compression),
        ]
        let tracks = encodings.enumerated().map { number, encoding in
            let entry = Self.element("d7", [UInt8(number + 1)]) + Self.element("83", [1]) + Self.element("86", [0x58])
            return Self.element("ae", entry + encoding)
        }
        let bytes = Self.file(Self.element("1654ae6b", tracks.flatMap { $0 }) + Self.cues)
        let cues = MatroskaCues { offset, count in
            offset < bytes.count ? Array(bytes[Int(offset)...].prefix(count)) : []
        }
        // The others have no encoding, are encrypted, or have only their private data compressed.
        #expect(cues.compressed == [1, 4])
    }

    @Test("Files without Cues and files that are not Matroska give no entries")
    func none() {
        #expect(Self.entries([]).isEmpty)
        #expect(Self.entries([UInt8](repeating: 0xFF, count: 64)).isEmpty)
        #expect(Self.entries(Self.file(Self.tracks)).isEmpty)
        #expect(Self.entries(Self.file(Self.cues)).isEmpty)
    }

    @Test("Arbitrary bytes give some entries or none")
    func damage() {
        let whole = Self.file(Self.tracks + Self.cues)
        for count in whole.indices { _ = Self.entries(Array(whole.prefix(count))) }
        var generator = SplitMix(state: 11)
        for _ in 0..<3000 {
            var bytes = whole
            for _ in 0..<5 {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            #expect(Self.entries(bytes).values.joined().allSatisfy { $0.time >= 0 && $0.duration ?? 0 >= 0 })
        }
    }

    @Test("The media ends where the Cues begin, unless a cluster, or something that is not an element, follows them")
    func endsMedia() {
        func end(_ after: [UInt8]) -> Int64? {
            let bytes = Self.file(Self.tracks + Self.cues + after)
            func read(_ offset: Int64, _ count: Int) -> [UInt8] {
                offset < bytes.count ? Array(bytes[Int(offset)...].prefix(count)) : []
            }
            return MatroskaCues(read: read).endOfMedia(inFileOf: Int64(bytes.count), read: read)
        }
        // After the ID and the length of the Cues.
        let start = Self.start + Int64(Self.tracks.count + 8)
        #expect(end([]) == start)
        // Tags, attachments, a Void element.
        for id in ["1254c367", "1941a469"] { #expect(end(Self.element(id, [1, 2, 3])) == start) }
        #expect(end(hex("ec81") + [0]) == start)
        // A cluster, zeros, text.
        #expect(end(Self.element("1f43b675", [1, 2, 3])) == nil)
        #expect(end([UInt8](repeating: 0, count: 20)) == nil && end(Array("junk that is no element".utf8)) == nil)
    }

    @Test("If the Cues precede the media, the media ends at the first element after it that a SeekHead lists")
    func endsMediaAfterCues() {
        func file(_ after: [UInt8]) -> (bytes: [UInt8], end: Int64) {
            let cluster = Self.element("1f43b675", [UInt8](repeating: 0, count: 300))
            func list(_ position: Int) -> [UInt8] {
                let bytes = [24, 16, 8, 0].map { UInt8(position >> $0 & 255) }
                let seek = Self.element("4dbb", Self.element("53ab", hex("1941a469")) + Self.element("53ac", bytes))
                return Self.element("114d9b74", seek)
            }
            let before = list(0).count + Self.tracks.count + Self.cues.count + cluster.count
            return (Self.file(list(before) + Self.tracks + Self.cues + cluster + after), Self.start + Int64(before))
        }
        func end(_ bytes: [UInt8]) -> Int64? {
            func read(_ offset: Int64, _ count: Int) -> [UInt8] {
                offset < bytes.count ? Array(bytes[Int(offset)...].prefix(count)) : []
            }
            return MatroskaCues(read: read).endOfMedia(inFileOf: Int64(bytes.count), read: read)
        }
        let fonts = Self.element("1941a469", [UInt8](repeating: 1, count: 500))
        let (bytes, place) = file(fonts)
        #expect(end(bytes) == place)
        #expect(end(file(fonts + Self.element("1254c367", [1, 2, 3])).bytes) == place)
        // Truncated.
        #expect(end(Array(bytes.dropLast(100))) == place)
        // A cluster follows, or the list is wrong.
        #expect(end(file(fonts + Self.element("1f43b675", [1, 2, 3])).bytes) == nil)
        #expect(end(file([UInt8](repeating: 0, count: 20)).bytes) == nil)
    }
}
