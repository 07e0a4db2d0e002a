// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Divides a stored transport stream into segments at keyframes, if its video continues in another codec, or under another
/// packet identifier (PID), somewhere: as in recordings of channels that switch, and in files that were joined. No single
/// demuxer can read such a source, but a list of segments has a demuxer for each.
///
/// A unit belongs to the segment in which it begins, so that a segment is a function of its range alone, and no frame is lost
/// at a cut. Pure, apart from `read`.
package struct TransportParts: Sendable {
    /// A stretch with the same video.
    package struct Part: Hashable, Sendable {
        package let range: Range<Int64>
        let video: ProgramMap.Stream
        /// The packets with the program tables of the part.
        let tables: [UInt8]
    }

    package struct Segment: Hashable, Sendable {
        package let range: Range<Int64>
        package let duration: MediaTime
        /// Whether another part or another clock begins.
        package let isDiscontinuous: Bool
    }

    /// Returns up to this many bytes from an offset; fewer only at the end of the source.
    package typealias Read = (_ offset: Int64, _ count: Int) throws(EngineError) -> [UInt8]

    /// The places at which the video is compared. A shorter part between two of them is not found.
    private static let places: Int64 = 32
    /// In bytes. Program tables are repeated several times a second.
    private static let tableDistance: Int64 = 4 << 20
    /// In bytes. Within this distance, tables are read one after another.
    private static let walkedDistance: Int64 = 1 << 20
    private static let headByteCount = 4096
    /// In bytes. No unit of video or audio ends farther behind the segment in which it begins.
    private static let tailByteCount: Int64 = 2 << 20
    /// In bytes. Far less than the limit of a segment of a list.
    private static let segmentByteCounts: ClosedRange<Int64> = (256 << 10)...(16 << 20)
    private static let segmentLimit: Double = 1000
    private static let shortestSegment = 4.0
    /// In seconds. A longer distance between two keyframes is a jump of the clock.
    private static let longestStep = 60.0

    /// The assumed duration of the last picture, in 90 kHz ticks.
    private static let pictureTicks: Int64 = 3600

    package let parts: [Part]
    private let spacing: TransportPacket.Spacing
    private let byteCount: Int64

    /// - Returns: `nil` if the source is not a transport stream with one program and one video stream, or the video is the
    ///   same at all places.
    package init?(byteCount: Int64, read: Read) throws(EngineError) {
        guard let spacing = TransportPacket.Spacing(of: try read(0, Self.headByteCount)) else { return nil }
        let walk = PacketWalk(spacing: spacing, byteCount: byteCount)
        guard let first = try walk.map(from: 0, within: Self.tableDistance, read) else { return nil }
        var (maps, place, known) = ([first], Int64(0), first)
        for number in 1...Self.places {
            let next = max(place, byteCount * number / Self.places - (number == Self.places ? Self.walkedDistance : 0))
            guard let map = try walk.map(from: next, within: Self.tableDistance, read) else { continue }
            try walk.findChanges(from: (place, known), to: (next, map), Self.walkedDistance, &maps, read)
            (place, known) = (next, map)
        }
        guard maps.count > 1 else { return nil }
        (self.spacing, self.byteCount) = (spacing, byteCount)
        parts = maps.indices.map { index in
            let end = index + 1 < maps.count ? maps[index + 1].position : byteCount
            return Part(range: maps[index].position..<end, video: maps[index].video, tables: maps[index].tables)
        }
    }

    private var walk: PacketWalk { PacketWalk(spacing: spacing, byteCount: byteCount) }

    /// The segments of all parts. A part without a keyframe has none.
    package func segments(read: Read) throws(EngineError) -> [Segment] {
        var seconds: [Double] = []
        for part in parts { seconds.append(try length(of: part, read)) }
        let shortest = max(Self.shortestSegment, seconds.reduce(0, +) / Self.segmentLimit)
        var segments: [Segment] = []
        for (part, seconds) in zip(parts, seconds) { segments += try self.segments(of: part, seconds, shortest, read) }
        return segments
    }

    /// The time from the first to the last picture of a part, in seconds, if its clock does not jump.
    private func length(of part: Part, _ read: Read) throws(EngineError) -> Double {
        guard let first = try walk.unit(of: part.video, in: part.range, read), let last = try lastTime(of: part, read)
        else { return 0 }
        return Double(max(0, TransportPacket.distance(from: first.time, to: last))) / 90_000
    }

    private func lastTime(of part: Part, _ read: Read) throws(EngineError) -> Int64? {
        var found: Int64?
        let start = max(part.range.lowerBound, part.range.upperBound - Self.tableDistance)
        try walk.packets(in: start..<part.range.upperBound, read) { packet, _, _ in
            if packet.stream == part.video.number, case .unit(let time?) = packet.payload { found = time }
            return true
        }
        return found
    }

    /// - Parameters:
    ///   - seconds: the length of the part; 0 if unknown.
    ///   - shortest: the length of a segment, if there are enough keyframes, in seconds.
    private func segments(
        of part: Part,
        _ seconds: Double,
        _ shortest: Double,
        _ read: Read
    ) throws(EngineError) -> [Segment] {
        let rate = seconds > 0 ? Double(part.range.count) / seconds : 0
        let bounds = Self.segmentByteCounts
        let step = rate > 0 ? Int64(min(rate * shortest, Double(bounds.upperBound))) : bounds.lowerBound
        guard var cut = try walk.unit(of: part.video, in: part.range, isKey: true, read) else { return [] }
        var segments: [Segment] = []
        var isDiscontinuous = true
        while true {
            let from = min(part.range.upperBound, cut.position + max(step, bounds.lowerBound / 4))
            let next = try walk.unit(of: part.video, in: from..<part.range.upperBound, isKey: true, read)
            let end = if let next { next.time } else { (try lastTime(of: part, read) ?? cut.time) + Self.pictureTicks }
            let length = Double(TransportPacket.distance(from: cut.time, to: end)) / 90_000
            let isPlausible = length > 0 && length < Self.longestStep
            segments.append(
                Segment(
                    range: cut.position..<(next?.position ?? part.range.upperBound),
                    duration: .seconds(isPlausible ? length : shortest),
                    isDiscontinuous: isDiscontinuous
                )
            )
            guard let next else { return segments }
            (cut, isDiscontinuous) = (next, !isPlausible)
        }
    }

    /// The packets of the units that begin in a range, after the tables of the part in which the range begins.
    package func content(of range: Range<Int64>, read: Read) throws(EngineError) -> [UInt8] {
        var output = parts.last { $0.range.lowerBound <= range.lowerBound }?.tables ?? []
        var begun: Set<Int> = []
        let end = min(byteCount, range.upperBound + Self.tailByteCount)
        try walk.packets(in: range.lowerBound..<end, read) { packet, bytes, position in
            let isInside = position < range.upperBound
            switch packet.payload {
            case .none: if isInside { output += bytes }
            case .rest: if begun.contains(packet.stream) { output += bytes }
            case .section, .unit:
                if isInside {
                    begun.insert(packet.stream)
                    output += bytes
                } else {
                    begun.remove(packet.stream)
                }
            }
            return isInside || !begun.isEmpty
        }
        return output
    }
}

/// Reads the packets of a stored transport stream.
private struct PacketWalk {
    /// The video and the tables of a program map.
    struct Map {
        let video: ProgramMap.Stream
        /// The position of the first packet of the tables.
        let position: Int64
        let tables: [UInt8]

        func isSame(_ other: Map) -> Bool { video.number == other.video.number && video.kind == other.video.kind }
    }

    private static let pieceByteCount = 64 << 10

    let spacing: TransportPacket.Spacing
    let byteCount: Int64

    /// - Parameters:
    ///   - range: begins at any byte.
    ///   - body: gets each packet, its bytes and its position; returns whether to continue.
    func packets(
        in range: Range<Int64>,
        _ read: TransportParts.Read,
        _ body: (TransportPacket, ArraySlice<UInt8>, Int64) -> Bool
    ) throws(EngineError) {
        let (first, size) = (Int64(spacing.first), Int64(spacing.size))
        var start = first + max(0, (range.lowerBound - first + size - 1) / size) * size
        while start < range.upperBound {
            let piece = try read(start, Self.pieceByteCount)
            var place = 0
            while piece.count - place >= TransportPacket.byteCount, start + Int64(place) < range.upperBound {
                guard let packet = TransportPacket(piece, at: place) else {
                    place += 1
                    continue
                }
                let bytes = piece[place..<place + TransportPacket.byteCount]
                if !packet.isDamaged, !body(packet, bytes, start + Int64(place)) { return }
                place += spacing.size
            }
            if place == 0 { return }
            start += Int64(place)
        }
    }

    /// The first program map from a position on. `nil` if there is none, or there are several programs or videos.
    func map(from start: Int64, within distance: Int64, _ read: TransportParts.Read) throws(EngineError) -> Map? {
        var found: Map?
        try maps(in: start..<max(start, min(byteCount, start + distance)), read) { map in
            found = map
            return false
        }
        return found
    }

    /// - Parameter body: gets each program map with one video, if there is one program; returns whether to continue.
    func maps(
        in range: Range<Int64>,
        _ read: TransportParts.Read,
        _ body: (Map) -> Bool
    ) throws(EngineError) {
        var sections: [Int: PacketSections] = [:]
        var begun: [Int: (position: Int64, bytes: [UInt8])] = [:]
        var place: Int?
        try packets(in: range, read) { packet, bytes, position in
            guard packet.stream == 0 || packet.stream == place, packet.payload != .none else { return true }
            let begins = packet.payload != .rest
            if begins { begun[packet.stream] = (position, []) }
            begun[packet.stream]?.bytes += bytes
            let payload = bytes.dropFirst(packet.payloadOffset)
            for section in sections[packet.stream, default: PacketSections()].add(payload, begins: begins) {
                if packet.stream == 0, let maps = ProgramMap.maps(in: section) {
                    place = maps.count == 1 ? maps.keys.first : nil
                } else if let map = ProgramMap(section), let association = begun[0], let own = begun[packet.stream] {
                    let videos = map.streams.filter(\.kind.isVideo)
                    guard videos.count == 1 else { continue }
                    let tables = association.bytes + own.bytes
                    if !body(Map(video: videos[0], position: association.position, tables: tables)) { return false }
                }
            }
            return true
        }
    }

    /// Appends the maps with which other video begins, in order.
    ///
    /// - Parameter walked: a distance within which all maps are read.
    func findChanges(
        from start: (position: Int64, map: Map),
        to end: (position: Int64, map: Map),
        _ walked: Int64,
        _ found: inout [Map],
        _ read: TransportParts.Read
    ) throws(EngineError) {
        guard !start.map.isSame(end.map) else { return }
        let middle = start.position + (end.position - start.position) / 2
        if end.position - start.position > walked, let map = try map(from: middle, within: end.position - middle, read)
        {
            try findChanges(from: start, to: (middle, map), walked, &found, read)
            return try findChanges(from: (middle, map), to: end, walked, &found, read)
        }
        try maps(in: start.position..<byteCount, read) { map in
            if let last = found.last, !map.isSame(last) { found.append(map) }
            return map.position < end.position
        }
    }

    struct Unit {
        let position: Int64
        let time: Int64
    }

    /// The first unit of a stream that begins in a range and has a time.
    ///
    /// - Parameter isKey: whether only keyframes count.
    func unit(
        of stream: ProgramMap.Stream,
        in range: Range<Int64>,
        isKey: Bool = false,
        _ read: TransportParts.Read
    ) throws(EngineError) -> Unit? {
        var found: Unit?
        try packets(in: range, read) { packet, bytes, position in
            guard packet.stream == stream.number, case .unit(let time?) = packet.payload else { return true }
            let unit = bytes.dropFirst(packet.payloadOffset)
            if isKey, !packet.isRandomAccess, !Self.beginsSequence(unit, stream.kind) { return true }
            found = Unit(position: position, time: time)
            return false
        }
        return found
    }

    /// Whether the start of a unit has a sequence header or a sequence parameter set.
    private static func beginsSequence(_ bytes: ArraySlice<UInt8>, _ kind: ProgramMap.Kind) -> Bool {
        // The PES header has a start code too.
        var rest = bytes.dropFirst(9)
        while let place = rest.firstIndex(of: 1), place + 1 < rest.endIndex {
            let isCode = place >= bytes.startIndex + 11 && bytes[place - 1] == 0 && bytes[place - 2] == 0
            if isCode, kind.beginsSequence(rest[place + 1]) { return true }
            rest = rest[(place + 1)...]
        }
        return false
    }
}

extension ProgramMap.Kind {
    /// Whether the byte after a start code announces parameters that precede a keyframe.
    fileprivate func beginsSequence(_ code: UInt8) -> Bool {
        switch type {
        case 0x01, 0x02: code == 0xB3
        case 0x1B: code & 0x1F == 7
        case 0x24: (32...34).contains(code >> 1 & 0x3F)
        default: false
        }
    }
}
