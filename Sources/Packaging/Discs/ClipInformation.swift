// SPDX-License-Identifier: Apache-2.0

/// The file of a Blu-ray disc about one clip (`CLIPINF/*.clpi`): the clip's random access points and its streams.
package struct ClipInformation: Hashable, Sendable {
    /// A random access point of the clip.
    package struct EntryPoint: Hashable, Sendable {
        /// The presentation time in ticks of 90 kHz. The lowest nine bits are 0.
        package let time: Int64
        /// The number of the first packet of the picture, counted in packets of 192 bytes. Unlike `time`, it is exact.
        package let packet: Int64

        package init(time: Int64, packet: Int64) {
            self.time = time
            self.packet = packet
        }
    }

    /// The largest size of a clip information file, in bytes.
    package static let byteLimit = 16 << 20
    /// The step, in ticks of 90 kHz, to which the times of entry points are rounded down.
    package static let precision: Int64 = 512
    private static let mapLimit = 32

    /// The entry points by the PID of their stream; those of one stream are in the order of the disc.
    package let entryPoints: [Int: [EntryPoint]]

    /// The PIDs of the streams in the clip. `nil` if the disc does not state them.
    package let streams: Set<Int>?

    package init(entryPoints: [Int: [EntryPoint]], streams: Set<Int>? = nil) {
        self.entryPoints = entryPoints
        self.streams = streams
    }

    package init(_ bytes: [UInt8]) throws(PackagingError) {
        let subject = "a Blu-ray clip information"
        guard bytes.starts(with: "HDMV".utf8) else {
            throw PackagingError(.malformed, "\(subject) does not begin with HDMV")
        }
        var head = ByteReader(bytes, subject: subject)
        try head.skip(12)
        streams = Self.streams(bytes, at: Int(try head.uint32()), subject)
        let offset = Int(try head.uint32())
        var reader = ByteReader(bytes, subject: subject)
        try reader.skip(offset)
        let count = Int(try reader.uint32())
        guard count > 0 else {
            entryPoints = [:]
            return
        }
        var section = ByteReader(try reader.take(count), subject: subject)
        guard try section.uint16() & 0x0F == 1 else {
            throw PackagingError(.unsupportedFeature, "\(subject) has a map of another type than EP")
        }
        entryPoints = try Self.maps(section.takeRest(), subject)
    }

    /// The streams of the programs in the table at `offset` (`ProgramInfo`). `nil` if the table is damaged or names none.
    private static func streams(_ bytes: [UInt8], at offset: Int, _ subject: String) -> Set<Int>? {
        guard offset > 0 else { return nil }
        var found: Set<Int> = []
        do throws(PackagingError) {
            var reader = ByteReader(bytes, subject: subject)
            try reader.skip(offset + 5)
            for _ in 0..<(try reader.byte()) {
                try reader.skip(6)
                let count = try reader.byte()
                try reader.skip(1)
                for _ in 0..<count {
                    found.insert(Int(try reader.uint16()))
                    try reader.skip(Int(try reader.byte()))
                }
            }
        } catch {
            return nil
        }
        return found.isEmpty ? nil : found
    }

    private static func maps(_ bytes: [UInt8], _ subject: String) throws(PackagingError) -> [Int: [EntryPoint]] {
        var reader = ByteReader(bytes, subject: subject)
        try reader.skip(1)
        let count = Int(try reader.byte())
        guard count <= mapLimit else {
            throw PackagingError(.limitExceeded, "\(subject) maps \(count) streams, the limit is \(mapLimit)")
        }
        var maps: [Int: [EntryPoint]] = [:]
        for _ in 0..<count {
            let pid = Int(try reader.uint16())
            let numbers = try reader.number(byteCount: 6)
            let start = Int(try reader.uint32())
            var map = ByteReader(bytes, subject: subject)
            try map.skip(start)
            maps[pid] = try entries(
                map.takeRest(),
                coarse: Int(numbers >> 18 & 0xFFFF),
                fine: Int(numbers & 0x3FFFF),
                subject
            )
        }
        return maps
    }

    /// Reads the entry points of one stream. Each fine entry has the lower bits of one entry point. A coarse entry has
    /// the upper bits for several fine ones, and names the first of them.
    private static func entries(
        _ bytes: [UInt8],
        coarse: Int,
        fine: Int,
        _ subject: String
    ) throws(PackagingError) -> [EntryPoint] {
        var reader = ByteReader(bytes, subject: subject)
        let offset = Int(try reader.uint32())
        var table = ByteReader(bytes, subject: subject)
        try table.skip(offset)
        guard table.remaining >= 4 * fine, reader.remaining >= 8 * coarse else {
            throw PackagingError(.truncated, "\(subject) ends within its map")
        }
        var uppers: [(first: Int, time: Int64, packet: Int64)] = []
        for _ in 0..<coarse {
            let first = try reader.uint32()
            let packet = try reader.uint32()
            uppers.append((Int(first >> 14), Int64(first & 0x3FFE) << 19, Int64(packet) & ~0x1FFFF))
        }
        var entries: [EntryPoint] = []
        entries.reserveCapacity(fine)
        var place = 0
        for index in 0..<fine {
            let entry = Int64(try table.uint32())
            while place + 1 < uppers.count, uppers[place + 1].first <= index { place += 1 }
            guard uppers.indices.contains(place), uppers[place].first <= index else {
                throw PackagingError(.malformed, "\(subject) has entries before its first coarse one")
            }
            entries.append(
                EntryPoint(
                    time: uppers[place].time | (entry >> 17 & 0x7FF) << 9,
                    packet: uppers[place].packet | entry & 0x1FFFF
                )
            )
        }
        return entries
    }
}
