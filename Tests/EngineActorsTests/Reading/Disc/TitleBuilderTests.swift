// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineTestKit
import Packaging
@testable import Reading
import Testing

/// How parts of a Blu-ray disc's clips become the bytes, the clock and the map of a title.
struct TitleBuilderTests {
    private static let second: Int64 = 90_000
    private static let pid = 0x1011
    private static let overrun: Int64 = 2 * second
    /// The number of packets in each second of a clip.
    private static let packets = 4

    /// A clip with an entry point each second, on a clock that begins at `start` ticks. As on a disc, the times of
    /// entry points lack their lowest nine bits.
    private static func clip(_ seconds: Int, from start: Int64) -> DiscClip {
        var bytes: [UInt8] = []
        var points: [ClipInformation.EntryPoint] = []
        for number in 0..<seconds {
            let time = start + Int64(number) * second
            points.append(.init(time: time & ~511, packet: Int64(bytes.count / TransportUnit.packetByteCount)))
            let unit = BluRayBytes.unit(time: time, payload: [0, 0, 0, 1, 0x65])
            bytes += unit
            // Null packets.
            for _ in unit.count / TransportUnit.packetByteCount..<packets {
                bytes += [0, 0, 0, 0, 0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0, count: 184)
            }
        }
        return DiscClip(file: ScriptedSource(bytes).file, entryPoints: [pid: points])
    }

    private static func size(_ seconds: Int64) -> Int64 { seconds * Int64(packets * TransportUnit.packetByteCount) }

    private static func builder(rate: UInt8? = 3) -> TitleBuilder { TitleBuilder(video: pid, rate: rate) }

    /// Adds a part of a clip.
    ///
    /// - Parameters:
    ///   - part: in seconds from the start of the clip.
    ///   - base: where the clip's clock begins, in ticks.
    ///
    /// - Returns: whether the clip has all of the part.
    private static func add(
        _ part: Range<Double>,
        of clip: DiscClip,
        from base: Int64,
        to builder: inout TitleBuilder
    ) throws -> Bool {
        let entry = base + Int64(part.lowerBound * Double(second))
        let duration = Int64((part.upperBound - part.lowerBound) * Double(second))
        return try builder.add(.init(entry: entry, duration: duration), of: clip, overrun: overrun, InterruptFlag())
    }

    @Test
    func partBeginsAtItsEntryPoint() throws {
        var builder = Self.builder()
        // The time of the entry point that ends the read range is a multiple of 512, so that it is stored exactly.
        let clip = Self.clip(20, from: 1120)
        let isWhole = try Self.add(3..<8, of: clip, from: 1120, to: &builder)
        #expect(isWhole)
        #expect(
            builder.stretches
                == [.init(position: 0, entry: 1120 + 3 * Self.second, start: 0, duration: 5 * Self.second)]
        )
        // Up to the first entry point at or after the end of the overrun.
        #expect(builder.pieces.map(\.range) == [Self.size(3)..<Self.size(10)])
        let entries = try #require(builder.points?.entries.first)
        #expect(entries.map(\.position) == (0..<5).map { Self.size($0) })
        #expect(entries.map(\.time) == (3..<8).map { (1120 + $0 * Self.second) & ~511 })
    }

    @Test
    func partBetweenEntryPointsBeginsEarlier() throws {
        var builder = Self.builder()
        let isWhole = try Self.add(3.5..<8, of: Self.clip(20, from: 1000), from: 1000, to: &builder)
        #expect(isWhole)
        // At the picture's exact time, which is read from the clip.
        #expect(builder.stretches.map(\.entry) == [1000 + 3 * Self.second])
        #expect(builder.stretches.map(\.duration) == [5 * Self.second])
    }

    @Test
    func partsFollowEachOther() throws {
        var builder = Self.builder()
        let wrap = (Int64(1) << 33) - 2 * Self.second
        let isWhole = try Self.add(0..<4, of: Self.clip(4, from: 5000), from: 5000, to: &builder)
        // The clock of the second clip wraps after two seconds.
        let clip = Self.clip(4, from: wrap)
        let wrapped = DiscClip(
            file: clip.file,
            entryPoints: clip.entryPoints.mapValues {
                $0.map { .init(time: $0.time & (1 << 33 - 1), packet: $0.packet) }
            }
        )
        let isNextWhole = try Self.add(0..<4, of: wrapped, from: wrap, to: &builder)
        #expect(isWhole && isNextWhole)
        #expect(builder.stretches.map(\.start) == [0, 4 * Self.second])
        #expect(builder.stretches.map(\.position) == [0, Self.size(4)])
        #expect(builder.stretches.map(\.duration) == [4 * Self.second, 4 * Self.second])
        let map = try #require(builder.points)
        #expect(map.entries[1].map(\.position) == (4..<8).map { Self.size($0) })
        let title = TitleTimeline(builder.stretches)
        #expect(map.position(atOrBefore: 6 * Self.second, title) == Self.size(6))
        #expect(map.position(atOrBefore: 3 * Self.second - 600, title) == Self.size(2))
    }

    @Test
    func clipThatEndsEarlyEndsTheTitle() throws {
        var builder = Self.builder()
        let whole = Self.clip(10, from: 0)
        let cut = DiscClip(
            file: DiscFile(pieces: whole.file.pieces(of: 0..<Self.size(6))),
            entryPoints: whole.entryPoints
        )
        let isWhole = try Self.add(0..<10, of: cut, from: 0, to: &builder)
        #expect(!isWhole)
        // The pictures after the last entry point in the file may be incomplete.
        #expect(builder.points?.entries.map(\.count) == [5])
        #expect(builder.stretches.map(\.duration) == [5 * Self.second])
        // If a later part is missing entirely, the earlier parts stay.
        let again = Self.builder()
        builder = again
        let isFirstThere = try Self.add(0..<4, of: whole, from: 0, to: &builder)
        let isLaterThere = try Self.add(8..<10, of: cut, from: 0, to: &builder)
        #expect(isFirstThere && !isLaterThere && builder.stretches.count == 1)
        builder = again
        let error = #expect(throws: EngineError.self) { _ = try Self.add(8..<10, of: cut, from: 0, to: &builder) }
        #expect(error?.code == .sourceNotMedia)
    }

    @Test
    func titleWithoutTheMapOfOnePartHasNone() throws {
        let clip = Self.clip(4, from: 0)
        var unknown = Self.builder(rate: 9)
        _ = try Self.add(0..<4, of: clip, from: 0, to: &unknown)
        #expect(unknown.map == nil)
        var builder = Self.builder()
        _ = try Self.add(0..<4, of: clip, from: 0, to: &builder)
        #expect(builder.map != nil)
        let isWhole = try Self.add(0..<4, of: DiscClip(file: clip.file, entryPoints: [:]), from: 0, to: &builder)
        #expect(isWhole)
        // The part without a map is read completely.
        #expect(builder.map == nil && builder.pieces.map(\.range) == [0..<Self.size(4), 0..<Self.size(4)])
    }
}

extension TitleBuilder {
    fileprivate var points: PointMap? {
        guard case .points(let map)? = map else { return nil }
        return map
    }
}
