// SPDX-License-Identifier: Apache-2.0

/// The Cues of a Matroska file by stream (RFC 9559 §5.1.5), including the durations that libavformat discards.
///
/// Muxers index every subtitle block in the Cues, with its duration.
package struct MatroskaCues {
    /// An indexed block. Times are in segment ticks.
    package struct Entry: Hashable, Sendable {
        package var time: Int64
        package var duration: Int64?
        /// A file offset in the block's cluster, not after the block.
        package var position: Int64
    }

    private enum ID {
        static let point: UInt64 = 0xBB
        static let time: UInt64 = 0xB3
        static let positions: UInt64 = 0xB7
        static let track: UInt64 = 0xF7
        static let clusterPosition: UInt64 = 0xF1
        static let relativePosition: UInt64 = 0xF0
        static let duration: UInt64 = 0xB2
    }

    private static let pointLimit = 1 << 20
    /// The number of elements after the media that are visited.
    private static let elementLimit = 16

    /// By stream index: the position of the track entry among those that libavformat accepts. In file order.
    package private(set) var entries: [Int: [Entry]] = [:]
    /// The indexes of streams whose blocks are stored compressed.
    package private(set) var compressed: Set<Int> = []
    /// The file range of the content of the Cues element. `nil` if there is none.
    private var content: Range<Int64>?
    /// The file offsets that SeekHeads list, in ascending order.
    private var listed: [Int64] = []

    /// Empty if the file has no Cues or they cannot be found.
    ///
    /// - Parameter read: returns up to the requested number of bytes at a file offset; fewer at the end of the file.
    package init<Failure: Error>(read: (Int64, Int) throws(Failure) -> [UInt8]) throws(Failure) {
        guard let layout = try MatroskaLayout(keeping: [MatroskaID.tracks, MatroskaID.cues], read),
            let tracks = layout.bodies[MatroskaID.tracks],
            let cues = layout.bodies[MatroskaID.cues]
        else { return }
        content = layout.offsets[MatroskaID.cues].map { $0..<$0 + Int64(cues.count) }
        listed = layout.places.values.sorted()
        compressed = MatroskaTracks.compressed(of: tracks, in: 0..<tracks.count)
        collect(cues, Self.streams(tracks), layout.start)
    }

    /// Whether the file has Cues before its first cluster, or at a position that a SeekHead lists.
    ///
    /// - Parameter read: as in `init(read:)`.
    package static func exist<Failure: Error>(
        read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Bool {
        try MatroskaLayout(keeping: [], read)?.found.contains(MatroskaID.cues) ?? false
    }

    /// Where the media ends, to a few bytes: at the Cues if they follow it, or else at the first element after the last
    /// indexed block that a SeekHead lists. `nil` if no such element is known, or if the file may have media after it.
    ///
    /// - Parameters:
    ///   - byteCount: the length of the file.
    ///   - read: as in `init(read:)`.
    package func endOfMedia<Failure: Error>(
        inFileOf byteCount: Int64,
        read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Int64? {
        guard let content else { return nil }
        let last = entries.values.joined().map(\.position).max() ?? 0
        if content.lowerBound <= last, let end = listed.first(where: { $0 > last }) {
            return try Self.areElements(from: end, upTo: byteCount, read) ? end : nil
        }
        guard content.upperBound < byteCount else { return content.lowerBound }
        return try Self.element(at: content.upperBound, read) == nil ? nil : content.lowerBound
    }

    /// Whether the rest of a file consists of few elements of a segment, without a cluster.
    private static func areElements<Failure: Error>(
        from start: Int64,
        upTo byteCount: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Bool {
        var at = start
        for _ in 0..<elementLimit where at < byteCount {
            guard let next = try element(at: at, read)?.end else { return false }
            at = next
        }
        return at >= byteCount
    }

    /// The element of a segment at a file offset. `nil` if a cluster or something else is there.
    private static func element<Failure: Error>(
        at offset: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> MatroskaElement? {
        guard let element = try MatroskaElement.at(offset, read), element.id != MatroskaID.cluster,
            MatroskaID.topLevel.contains(element.id)
        else { return nil }
        return element
    }

    /// Stream indices by track number.
    private static func streams(_ tracks: [UInt8]) -> [UInt64: Int] {
        var streams: [UInt64: Int] = [:]
        for (index, number) in MatroskaTracks.numbers(of: tracks, in: 0..<tracks.count) { streams[number] = index }
        return streams
    }

    private mutating func collect(_ cues: [UInt8], _ streams: [UInt64: Int], _ start: Int64) {
        let points = MatroskaElements.children(of: cues, in: 0..<cues.count, limit: Self.pointLimit)
        for point in points where point.id == ID.point {
            let children = MatroskaElements.children(of: cues, in: point.content)
            guard let time = children.first(where: { $0.id == ID.time }),
                let ticks = MatroskaElements.unsigned(cues, in: time.content), ticks < 1 << 62
            else { continue }
            for positions in children where positions.id == ID.positions {
                let fields = MatroskaElements.fields(of: cues, in: positions.content)
                guard let stream = fields[ID.track].flatMap({ streams[$0] }), let cluster = fields[ID.clusterPosition],
                    cluster < 1 << 56
                else { continue }
                let offset = min(fields[ID.relativePosition] ?? 0, 1 << 56)
                let duration = fields[ID.duration].flatMap { Int64(exactly: min($0, 1 << 62)) }
                entries[stream, default: []].append(
                    Entry(time: Int64(ticks), duration: duration, position: start &+ Int64(cluster) &+ Int64(offset))
                )
            }
        }
    }
}
