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
        static let header: UInt64 = 0x1A45_DFA3
        static let segment: UInt64 = 0x1853_8067
        static let seekHead: UInt64 = 0x114D_9B74
        static let seek: UInt64 = 0x4DBB
        static let seekID: UInt64 = 0x53AB
        static let seekPosition: UInt64 = 0x53AC
        static let cluster: UInt64 = 0x1F43_B675
        static let tracks: UInt64 = 0x1654_AE6B
        static let cues: UInt64 = 0x1C53_BB6B
        static let point: UInt64 = 0xBB
        static let time: UInt64 = 0xB3
        static let positions: UInt64 = 0xB7
        static let track: UInt64 = 0xF7
        static let clusterPosition: UInt64 = 0xF1
        static let relativePosition: UInt64 = 0xF0
        static let duration: UInt64 = 0xB2
    }

    private static let topLevelLimit = 64
    private static let bodyLimit: Int64 = 64 << 20
    private static let pointLimit = 1 << 20

    /// By stream index: the position of the track entry among those that libavformat accepts. In file order.
    package private(set) var entries: [Int: [Entry]] = [:]

    /// Empty if the file has no Cues or they cannot be found.
    ///
    /// - Parameter read: returns up to the requested number of bytes at a file offset; fewer at the end of the file.
    package init<Failure: Error>(read: (Int64, Int) throws(Failure) -> [UInt8]) throws(Failure) {
        guard let layout = try Layout(keeping: [ID.tracks, ID.cues], read), let tracks = layout.bodies[ID.tracks],
            let cues = layout.bodies[ID.cues]
        else { return }
        collect(cues, Self.streams(tracks), layout.start)
    }

    /// Whether the file has Cues before its first cluster, or at a position that a SeekHead lists.
    ///
    /// - Parameter read: as in `init(read:)`.
    package static func exist<Failure: Error>(
        read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Bool {
        try Layout(keeping: [], read)?.found.contains(ID.cues) ?? false
    }

    /// The top-level elements other than clusters that come before the first cluster, or that a SeekHead lists.
    private struct Layout {
        /// The file offset of the segment's content.
        let start: Int64
        private(set) var found: Set<UInt64> = []
        private(set) var bodies: [UInt64: [UInt8]] = [:]
        /// The file offsets that SeekHeads list, by element ID.
        private var places: [UInt64: Int64] = [:]

        /// - Parameter kept: the elements whose content is read.
        init?<Failure: Error>(
            keeping kept: Set<UInt64>,
            _ read: (Int64, Int) throws(Failure) -> [UInt8]
        ) throws(Failure) {
            guard let header = try element(at: 0, read), header.id == ID.header, let length = header.byteCount,
                let segment = try element(at: header.content &+ length, read), segment.id == ID.segment
            else { return nil }
            start = segment.content
            var at = segment.content
            for _ in 0..<topLevelLimit {
                guard let child = try element(at: at, read), child.id != ID.cluster, let size = child.byteCount else {
                    break
                }
                try take(child, kept, read)
                at = child.content &+ size
            }
            // A SeekHead may refer to a second one.
            for wanted in [ID.seekHead, ID.tracks, ID.cues] {
                guard wanted == ID.seekHead || !found.contains(wanted), let place = places[wanted],
                    let element = try element(at: place, read), element.id == wanted
                else { continue }
                try take(element, kept, read)
            }
        }

        private mutating func take<Failure: Error>(
            _ element: Element,
            _ kept: Set<UInt64>,
            _ read: (Int64, Int) throws(Failure) -> [UInt8]
        ) throws(Failure) {
            guard let size = element.byteCount, size <= bodyLimit else { return }
            found.insert(element.id)
            guard element.id == ID.seekHead else {
                if kept.contains(element.id) { bodies[element.id] = try read(element.content, Int(size)) }
                return
            }
            let body = try read(element.content, Int(size))
            for seek in MatroskaElements.children(of: body, in: 0..<body.count) where seek.id == ID.seek {
                let fields = fields(of: body, in: seek.content)
                guard let id = fields[ID.seekID], let position = fields[ID.seekPosition], position < 1 << 56 else {
                    continue
                }
                places[id] = start &+ Int64(position)
            }
        }
    }

    private struct Element {
        var id: UInt64
        var content: Int64
        /// `nil` for an element of unknown size.
        var byteCount: Int64?
    }

    private static func element<Failure: Error>(
        at offset: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Element? {
        guard offset >= 0, offset < 1 << 56 else { return nil }
        let head = try read(offset, 12)
        guard let id = MatroskaElements.number(head, 0, head.count, keepsMarker: true), id.length <= 4,
            let size = MatroskaElements.number(head, id.length, head.count, keepsMarker: false),
            size.value == .max || size.value < 1 << 48
        else { return nil }
        return Element(
            id: id.value,
            content: offset + Int64(id.length + size.length),
            byteCount: size.value == .max ? nil : Int64(size.value)
        )
    }

    /// The child elements as unsigned integers. If an element occurs several times, the last one is used.
    private static func fields(of bytes: [UInt8], in range: Range<Int>) -> [UInt64: UInt64] {
        var fields: [UInt64: UInt64] = [:]
        for child in MatroskaElements.children(of: bytes, in: range) {
            fields[child.id] = MatroskaElements.unsigned(bytes, in: child.content)
        }
        return fields
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
                let fields = Self.fields(of: cues, in: positions.content)
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
