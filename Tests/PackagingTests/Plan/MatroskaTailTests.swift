// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
import Testing

@testable import Packaging

@Suite("The last blocks of a Matroska file", .timeLimit(.minutes(10)))
struct MatroskaTailTests {
    private static func element(_ id: String, _ content: [UInt8]) -> [UInt8] {
        let size = [16, 8, 0].map { (shift: Int) in UInt8(truncatingIfNeeded: content.count >> shift) }
        return hex(id) + [0x10 | UInt8(content.count >> 24)] + size + content
    }

    private static func track(_ number: UInt8, _ type: UInt8) -> [UInt8] {
        element("ae", element("d7", [number]) + element("83", [type]) + element("86", Array("X".utf8)))
    }

    /// A block of track 1 in a SimpleBlock, or of track 2 in a BlockGroup.
    private static func block(_ track: UInt8, _ time: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let block = [0x80 | track, 0, time, 0] + payload
        return track == 1
            ? element("a3", block) : element("a0", element("a1", block) + element("9b", [20]))
    }

    private static let header = element("1a45dfa3", element("4282", Array("matroska".utf8)))
    private static let information = element("1549a966", element("2ad7b1", [0x0F, 0x42, 0x40]))
    private static let tracks = element("1654ae6b", track(1, 1) + track(2, 2))

    /// A file of three clusters, and the offset and the blocks of each.
    private struct File {
        var bytes: [UInt8]
        var clusters: [(offset: Int, time: UInt8, blocks: [[UInt8]])] = []

        /// - Parameter payload: the frame with a number.
        init(after: [UInt8] = element("1c53bb6b", []), payload: (Int) -> [UInt8]) {
            let start = header.count + 8
            var segment = element("114d9b74", []) + tracks + information
            for cluster in 0..<3 {
                let blocks = (0..<20).map { block(UInt8(1 + $0 % 2), UInt8($0), payload(20 * cluster + $0)) }
                clusters.append((start + segment.count, UInt8(cluster), blocks))
                segment += element(
                    "1f43b675",
                    element("e7", [UInt8(cluster)]) + element("ab", [1, 2]) + blocks.joined()
                )
            }
            bytes = header + element("18538067", segment + after)
        }

        /// The content of the excerpt from a number of bytes before the end of the last cluster. `nil` if there is none.
        func tail(_ length: Int) -> [(time: UInt64?, blocks: [UInt8])]? {
            let tail = MatroskaTail(
                fromClusterAt: Int64(clusters[0].offset),
                ofFileOf: Int64(bytes.count),
                length: Int64(length)
            ) { offset, count in
                guard offset >= 0, offset < bytes.count else { return [] }
                return Array(bytes[Int(offset)...].prefix(count))
            }
            guard let found = tail?.bytes else { return nil }
            let top = MatroskaElements.children(of: found, in: 0..<found.count)
            #expect(top.map(\.id) == [0x1A45_DFA3, 0x1853_8067])
            let parts = MatroskaElements.children(of: found, in: top[1].content)
            #expect(parts.prefix(2).map(\.id) == [0x1549_A966, 0x1654_AE6B])
            #expect(Array(found[parts[1].content]) == Array(tracks.dropFirst(8)))
            return parts.dropFirst(2).map { part in
                let children = MatroskaElements.children(of: found, in: part.content)
                return (
                    MatroskaElements.unsigned(found, in: children[0].content),
                    Array(found[children[0].content.upperBound..<part.content.upperBound])
                )
            }
        }
    }

    @Test(
        "The blocks are the last ones of the file, with the times of their clusters",
        arguments: [300, 650, 1000, 1900]
    )
    func last(length: Int) throws {
        let file = File { [UInt8](repeating: UInt8($0), count: 20) }
        let found = try #require(file.tail(length))
        let all = file.clusters.flatMap { cluster in cluster.blocks.map { (cluster.time, $0) } }
        let bytes = found.flatMap(\.blocks)
        let count = try #require((0...60).first { all.suffix($0).flatMap(\.1) == bytes })
        // At most one block is cut off; the first elements are left out, because bytes of a frame may look like blocks.
        let whole = all.reversed().reduce(into: (0, 0)) { sum, block in
            sum.1 += block.1.count
            if sum.1 <= length { sum.0 += 1 }
        }
        #expect((whole.0 - 8...whole.0).contains(count) && count > 3)
        #expect(found.last?.time == 2 && Set(found.map(\.time)).count == found.count)
    }

    @Test("All clusters are whole if they are shorter than the wanted bytes")
    func whole() throws {
        let file = File { [UInt8](repeating: UInt8($0), count: 20) }
        let found = try #require(file.tail(file.bytes.count))
        #expect(found.map(\.blocks) == file.clusters.map { Array($0.blocks.joined()) })
        #expect(found.map(\.time) == [0, 1, 2])
    }

    @Test("Bytes of a frame that look like a block are not taken for one")
    func imitation() throws {
        let false1 = Self.block(1, 9, [7])
        let file = File { _ in [0xA3] + false1 + [0xA0, 0x81] + false1 }
        let blocks = file.clusters.flatMap(\.blocks)
        var excerpts = 0
        for length in stride(from: 300, to: 900, by: 1) {
            guard let found = file.tail(length)?.flatMap(\.blocks) else { continue }
            #expect((1...60).contains { blocks.suffix($0).flatMap(\.self) == found })
            excerpts += 1
        }
        #expect(excerpts > 300)
    }

    @Test("There is no excerpt of a file that is damaged, cut off, or continues after its index")
    func none() {
        let payload = { (_: Int) in [UInt8](repeating: 5, count: 20) }
        let file = File(payload: payload)
        #expect(file.tail(300) != nil)
        var cut = file
        cut.bytes.removeLast()
        #expect(cut.tail(300) == nil)
        var unknown = file
        unknown.bytes.replaceSubrange(file.clusters[2].offset + 4..<file.clusters[2].offset + 8, with: hex("1fffffff"))
        #expect(unknown.tail(300) == nil)
        #expect(File(after: [0, 0, 0, 0], payload: payload).tail(300) == nil)
        #expect(File(after: hex("ec8100"), payload: payload).tail(300) != nil)
        // A track that the file does not have.
        var strange = file
        for place in strange.bytes.indices where strange.bytes[place] == 0x81 || strange.bytes[place] == 0x82 {
            strange.bytes[place] = 0x85
        }
        #expect(strange.tail(300) == nil)
    }

    @Test("Arbitrary changes give some excerpt or none")
    func damage() {
        var random = SplitMix(state: 11)
        let file = File { [UInt8](repeating: UInt8($0), count: 9) }
        for _ in 0..<3000 {
            var damaged = file
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                damaged.bytes[Int.random(in: 0..<file.bytes.count, using: &random)] = UInt8.random(
                    in: 0...255,
                    using: &random
                )
            }
            let length = Int64.random(in: 1...2000, using: &random)
            _ = MatroskaTail(
                fromClusterAt: Int64(file.clusters[1].offset),
                ofFileOf: Int64(file.bytes.count),
                length: length
            ) {
                (offset: Int64, count: Int) -> [UInt8] in
                guard offset >= 0, offset < damaged.bytes.count, count >= 0 else { return [] }
                return Array(damaged.bytes[Int(offset)...].prefix(count))
            }
        }
    }
}
