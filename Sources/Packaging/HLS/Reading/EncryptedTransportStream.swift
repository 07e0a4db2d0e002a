// SPDX-License-Identifier: Apache-2.0

/// A transport stream whose video and audio are encrypted with SAMPLE-AES (Apple's "MPEG-2 Stream Encryption Format for
/// HTTP Live Streaming"), which defines its own stream types. Pure.
package struct EncryptedTransportStream {
    /// A PES packet of an encrypted stream.
    private struct Unit {
        let stream: Int
        /// The adaptation field of its first packet, including the length byte. Empty if there is none.
        let field: [UInt8]
        var bytes: [UInt8]

        /// The offset of the PES payload in `bytes`.
        var payload: Int { bytes.starts(with: [0, 0, 1]) && bytes.count > 8 ? min(bytes.count, 9 + Int(bytes[8])) : 0 }
    }

    private enum Piece {
        case packet(ArraySlice<UInt8>)
        /// The index of a unit. All its packets are written at the position of the first one.
        case unit(Int)
    }

    private static let packetLength = 188
    private static let codecs: [UInt8: SampleDecryption.Codec] = [
        0xDB: .h264, 0xCF: .aac, 0xC1: .ac3, 0xC2: .eac3,
    ]

    private var pieces: [Piece] = []
    private var units: [Unit] = []
    /// The index of the unit being read, by packet identifier (PID).
    private var open: [Int: Int] = [:]
    private var maps: Set<Int> = []
    /// By PID.
    private var streams: [Int: SampleDecryption.Codec] = [:]
    /// The bytes after the last complete packet.
    private let tail: ArraySlice<UInt8>

    package static func isOne(_ bytes: [UInt8]) -> Bool {
        bytes.first == 0x47 && (bytes.count <= packetLength || bytes[packetLength] == 0x47)
    }

    /// - Parameter bytes: start at a packet boundary.
    package init(_ bytes: [UInt8]) {
        let end = bytes.count / Self.packetLength * Self.packetLength
        tail = bytes[end...]
        for start in stride(from: 0, to: end, by: Self.packetLength) {
            take(bytes[start..<(start + Self.packetLength)])
        }
    }

    // MARK: Reading

    private mutating func take(_ packet: ArraySlice<UInt8>) {
        let base = packet.startIndex
        let stream = Self.stream(of: packet)
        var start = base + 4
        if packet[base + 3] & 0x20 != 0 { start += 1 + Int(packet[start]) }
        guard packet[base] == 0x47, packet[base + 3] & 0x10 != 0, start < packet.endIndex else {
            return pieces.append(.packet(packet))
        }
        let isStart = packet[base + 1] & 0x40 != 0
        if isStart, stream == 0 || maps.contains(stream) { readTable(packet[start...], stream) }
        if streams[stream] != nil, isStart {
            open[stream] = units.count
            pieces.append(.unit(units.count))
            units.append(
                Unit(stream: stream, field: Array(packet[(base + 4)..<start]), bytes: Array(packet[start...]))
            )
        } else if let unit = open[stream] {
            units[unit].bytes += packet[start...]
        } else {
            pieces.append(.packet(packet))
        }
    }

    private static func stream(of packet: ArraySlice<UInt8>) -> Int {
        Int(packet[packet.startIndex + 1] & 0x1F) << 8 | Int(packet[packet.startIndex + 2])
    }

    /// Reads a PAT or PMT section (ISO/IEC 13818-1 §2.4.4.3 and §2.4.4.8). In HLS segments, a section fits in one
    /// packet.
    private mutating func readTable(_ payload: ArraySlice<UInt8>, _ stream: Int) {
        let section = Array(payload.dropFirst(1 + Int(payload.first ?? 0)))
        guard section.count >= 12 else { return }
        // The last four bytes are a checksum.
        let end = min(section.count, 3 + (Int(section[1] & 0x0F) << 8 | Int(section[2])) - 4)
        if stream == 0, section[0] == 0 {
            for index in Swift.stride(from: 8, to: end - 3, by: 4) where section[index] != 0 || section[index + 1] != 0
            {
                maps.insert(Int(section[index + 2] & 0x1F) << 8 | Int(section[index + 3]))
            }
        } else if stream != 0, section[0] == 2 {
            var index = 12 + (Int(section[10] & 0x0F) << 8 | Int(section[11]))
            while index + 5 <= end {
                let found = Int(section[index + 1] & 0x1F) << 8 | Int(section[index + 2])
                streams[found] = Self.codecs[section[index]]
                index += 5 + (Int(section[index + 3] & 0x0F) << 8 | Int(section[index + 4]))
            }
        }
    }

    // MARK: Writing

    /// The stream with decrypted samples. Its program map keeps the stream types of encrypted streams.
    package func clear<Failure: Error>(
        _ decrypt: SampleDecryption.Chain<Failure>
    ) throws(Failure) -> [UInt8] {
        var units = units
        for (stream, codec) in streams {
            let own = units.indices.filter { units[$0].stream == stream }
            guard codec != .h264 else {
                for index in own {
                    let (head, payload) = Self.split(units[index])
                    units[index].bytes = Self.sized(head + (try SampleDecryption.packet(payload, codec, decrypt)))
                }
                continue
            }
            // An audio frame may continue in the next unit. Decryption does not change the length of a frame.
            let parts = own.map { Self.split(units[$0]) }
            var clear = try SampleDecryption.packet(parts.flatMap(\.payload), codec, decrypt)[...]
            for (index, part) in zip(own, parts) {
                units[index].bytes = part.head + clear.prefix(part.payload.count)
                clear = clear.dropFirst(part.payload.count)
            }
        }
        return written(units)
    }

    private static func split(_ unit: Unit) -> (head: [UInt8], payload: [UInt8]) {
        (Array(unit.bytes[..<unit.payload]), Array(unit.bytes[unit.payload...]))
    }

    /// The PES packet with its length field updated; a length of 0 (unbounded) stays.
    private static func sized(_ unit: [UInt8]) -> [UInt8] {
        guard unit.count > 6, unit.starts(with: [0, 0, 1]), unit[4] != 0 || unit[5] != 0 else { return unit }
        let length = unit.count - 6 <= 0xFFFF ? unit.count - 6 : 0
        var unit = unit
        (unit[4], unit[5]) = (UInt8(length >> 8), UInt8(length & 0xFF))
        return unit
    }

    private func written(_ units: [Unit]) -> [UInt8] {
        var result: [UInt8] = []
        /// By PID.
        var counters: [Int: UInt8] = [:]
        func count(_ packet: inout [UInt8], _ stream: Int) {
            if packet[3] & 0x10 != 0 { counters[stream] = ((counters[stream] ?? 0x0F) + 1) & 0x0F }
            packet[3] = packet[3] & 0xF0 | (counters[stream] ?? 0)
        }
        for piece in pieces {
            switch piece {
            case .packet(let bytes):
                var packet = Array(bytes)
                let stream = Self.stream(of: bytes)
                if packet[0] == 0x47, streams[stream] != nil { count(&packet, stream) }
                result += packet
            case .unit(let number):
                let unit = units[number]
                var (field, rest) = (unit.field, unit.bytes[...])
                var isFirst = true
                repeat {
                    let room = Self.packetLength - 4 - field.count
                    if rest.count < room { field = Self.filled(field, by: room - rest.count) }
                    let head = [
                        0x47, UInt8(isFirst ? 0x40 : 0) | UInt8(unit.stream >> 8), UInt8(unit.stream & 0xFF),
                        field.isEmpty ? 0x10 : 0x30,
                    ]
                    let taken = min(room, rest.count)
                    var packet = head + field + rest.prefix(taken)
                    count(&packet, unit.stream)
                    result += packet
                    rest = rest.dropFirst(taken)
                    (field, isFirst) = ([], false)
                } while !rest.isEmpty
            }
        }
        return result + tail
    }

    /// The adaptation field, extended by `count` bytes of stuffing.
    private static func filled(_ field: [UInt8], by count: Int) -> [UInt8] {
        let length = field.count + count
        // The flags and the existing fields, without the length byte; the rest is stuffing.
        let content = Array(field.dropFirst()) + (field.count < 2 && length > 1 ? [0] : [])
        return [UInt8(length - 1)] + content + [UInt8](repeating: 0xFF, count: length - 1 - content.count)
    }
}
