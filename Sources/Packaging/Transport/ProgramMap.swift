// SPDX-License-Identifier: Apache-2.0

/// The streams of one program of a transport stream, from a program map section (ISO/IEC 13818-1 §2.4.4.8).
struct ProgramMap: Hashable, Sendable {
    struct Stream: Hashable, Sendable {
        /// The packet identifier (PID).
        let number: Int
        let kind: Kind
        /// ISO 639-2, in lower case; empty if not stated.
        let language: String
    }

    /// Identifies a codec: the stream type, and for private data the descriptor that names its format.
    struct Kind: Hashable, Sendable {
        let type: UInt8
        /// Empty for types that name a codec.
        let format: [UInt8]

        var isVideo: Bool { [0x01, 0x02, 0x10, 0x1B, 0x20, 0x24, 0x33, 0x42, 0xD1, 0xEA].contains(type) }

        /// The name of the codec in messages.
        var name: String {
            switch type {
            case 0x01, 0x02: "MPEG-2 video"
            case 0x03, 0x04: "MPEG audio"
            case 0x0F: "AAC"
            case 0x11: "AAC (LATM)"
            case 0x10: "MPEG-4 video"
            case 0x1B: "H.264"
            case 0x24: "HEVC"
            case 0x81: "AC-3"
            case 0x87: "E-AC-3"
            case 0x06:
                switch format.first {
                case 0x6A: "AC-3"
                case 0x7A: "E-AC-3"
                case 0x7B: "DTS"
                case 0x56: "teletext"
                case 0x59: "DVB subtitles"
                default: "private data"
                }
            default: "data of type \(type)"
            }
        }
    }

    /// Descriptors that name the format of private data: AC-3, E-AC-3, DTS, teletext and DVB subtitles.
    private static let formats: Set<UInt8> = [0x6A, 0x7A, 0x7B, 0x56, 0x59]

    let program: Int
    let streams: [Stream]

    /// - Parameter section: a complete section, including its checksum, which is verified.
    /// - Returns: `nil` if the section is damaged, does not apply yet, or is not a program map section.
    init?(_ section: [UInt8]) {
        guard section.count >= 16, section[0] == 2, section[5] & 1 == 1, PacketSections.isIntact(section) else {
            return nil
        }
        program = Int(section[3]) << 8 | Int(section[4])
        let end = section.count - 4
        var place = 12 + (Int(section[10] & 0x0F) << 8 | Int(section[11]))
        var found: [Stream] = []
        while place + 5 <= end {
            let length = Int(section[place + 3] & 0x0F) << 8 | Int(section[place + 4])
            guard place + 5 + length <= end else { return nil }
            let number = Int(section[place + 1] & 0x1F) << 8 | Int(section[place + 2])
            let (format, language) = Self.descriptors(section[place + 5..<place + 5 + length])
            let kind = Kind(type: section[place], format: section[place] == 0x06 ? format : [])
            found.append(Stream(number: number, kind: kind, language: language))
            place += 5 + length
        }
        streams = found
    }

    private static func descriptors(_ bytes: ArraySlice<UInt8>) -> (format: [UInt8], language: String) {
        var (format, language) = ([UInt8](), "")
        var rest = bytes
        while rest.count >= 2, let tag = rest.first {
            let content = rest.dropFirst(2).prefix(Int(rest[rest.startIndex + 1]))
            // Registration (§2.6.8) names the format by four characters.
            if tag == 0x05, format.isEmpty { format = Array(content.prefix(4)) }
            if formats.contains(tag) { format = [tag] }
            if tag == 0x0A { language = String(decoding: content.prefix(3), as: UTF8.self).lowercased() }
            rest = rest.dropFirst(2 + content.count)
        }
        return (format, language)
    }

    /// The program numbers in a program association section (§2.4.4.3), by the PID of their program map. `nil` if the
    /// section is damaged, does not apply yet, or is of another kind.
    static func maps(in section: [UInt8]) -> [Int: Int]? {
        guard section.count >= 12, section[0] == 0, section[5] & 1 == 1, PacketSections.isIntact(section) else {
            return nil
        }
        var maps: [Int: Int] = [:]
        for place in stride(from: 8, through: section.count - 8, by: 4) {
            let program = Int(section[place]) << 8 | Int(section[place + 1])
            if program != 0 { maps[Int(section[place + 2] & 0x1F) << 8 | Int(section[place + 3])] = program }
        }
        return maps
    }

    /// Whether a section is the only one of its table (§2.4.4.5).
    static func isOnlySection(_ section: [UInt8]) -> Bool { section.count > 7 && section[7] == 0 }
}

/// Reassembles sections from the packets of one PID (ISO/IEC 13818-1 §2.4.4). Pure.
struct PacketSections: Sendable {
    private var bytes: [UInt8] = []

    /// - Parameters:
    ///   - payload: the payload of the next packet.
    ///   - begins: whether a section begins in the payload, so that its first byte is the pointer_field.
    /// - Returns: the sections that the payload completes.
    mutating func add(_ payload: ArraySlice<UInt8>, begins: Bool) -> [[UInt8]] {
        var found: [[UInt8]] = []
        // The pointer_field is the number of bytes before the first section that begins here. They belong to the
        // section before.
        let pointer = begins ? Int(payload.first ?? 0) : payload.count
        let rest = begins ? payload.dropFirst() : payload
        if !bytes.isEmpty {
            bytes += rest.prefix(pointer)
            if let section = takeWhole() {
                found.append(section)
                // The bytes between the end of a section and the next section that begins here are stuffing.
                bytes = []
            }
        }
        guard begins else { return found }
        bytes = Array(rest.dropFirst(pointer))
        while let section = takeWhole() { found.append(section) }
        // A byte of stuffing where a section would begin means that the rest is stuffing.
        if bytes.first == 0xFF { bytes = [] }
        return found
    }

    private mutating func takeWhole() -> [UInt8]? {
        guard bytes.count >= 3, bytes[0] != 0xFF else { return nil }
        let length = 3 + (Int(bytes[1] & 0x0F) << 8 | Int(bytes[2]))
        guard bytes.count >= length else { return nil }
        defer { bytes.removeFirst(length) }
        return Array(bytes.prefix(length))
    }

    /// Whether the checksum of a section is correct (Annex A).
    static func isIntact(_ section: [UInt8]) -> Bool { CRC32.checksum(of: section[...]) == 0 }
}
