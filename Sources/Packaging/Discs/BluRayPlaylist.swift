// SPDX-License-Identifier: Apache-2.0

/// A playlist of a Blu-ray disc (`PLAYLIST/*.mpls`): the parts of clips that make one title, and where its chapters begin.
///
/// Times are those of the clips' own clocks, in ticks of 45 kHz. They have 32 bits and wrap.
package struct BluRayPlaylist: Hashable, Sendable {
    /// The connection between an item and the one before it.
    package enum Connection: Hashable, Sendable {
        /// Playback may pause, and the clocks are unrelated.
        case separate
        /// Both were encoded to be decoded without a pause (connection conditions 5 and 6).
        case seamless
    }

    /// A part of a clip.
    package struct Item: Hashable, Sendable {
        /// The clip that each angle plays, such as `00055`. At least one.
        package let clips: [String]
        package let inTime: UInt32
        package let outTime: UInt32
        package let connection: Connection
        package let streams: [Stream]

        package var duration: UInt32 { outTime &- inTime }
    }

    package enum Kind: Hashable, Sendable { case video, audio, graphics, text }

    package struct Stream: Hashable, Sendable {
        package let pid: Int
        package let kind: Kind
        /// ISO 639-2, as the disc spells it. Empty for video.
        package let language: String
        /// The code of the frame rate of a video stream. 0 for other streams.
        package let rate: UInt8
    }

    /// The start of a chapter.
    package struct Mark: Hashable, Sendable {
        package let item: Int
        package let time: UInt32
    }

    /// The largest size of a playlist file, in bytes.
    package static let byteLimit = 4 << 20
    /// The largest number of items in a playlist.
    private static let itemLimit = 999
    private static let angleLimit = 9

    package let items: [Item]
    package let marks: [Mark]

    package init(items: [Item], marks: [Mark]) {
        self.items = items
        self.marks = marks
    }

    package init(_ bytes: [UInt8]) throws(PackagingError) {
        let subject = "a Blu-ray playlist"
        guard bytes.starts(with: "MPLS".utf8) else {
            throw PackagingError(.malformed, "\(subject) does not begin with MPLS")
        }
        var head = ByteReader(bytes, subject: subject)
        try head.skip(8)
        let itemsOffset = Int(try head.uint32())
        let marksOffset = Int(try head.uint32())
        items = try Self.items(try Self.section(bytes, at: itemsOffset, subject))
        // A playlist without marks is valid: its title has no chapters.
        marks = try marksOffset == 0 ? [] : Self.marks(try Self.section(bytes, at: marksOffset, subject))
    }

    /// The bytes of a section: its length is in its first 32 bits.
    private static func section(
        _ bytes: [UInt8],
        at offset: Int,
        _ subject: String
    ) throws(PackagingError) -> ByteReader {
        var reader = ByteReader(bytes, subject: subject)
        try reader.skip(offset)
        let count = Int(try reader.uint32())
        return ByteReader(try reader.take(count), subject: subject)
    }

    private static func items(_ section: ByteReader) throws(PackagingError) -> [Item] {
        var reader = section
        try reader.skip(2)
        let count = Int(try reader.uint16())
        guard count <= itemLimit else {
            throw PackagingError(.limitExceeded, "\(reader.subject) has \(count) items, the limit is \(itemLimit)")
        }
        try reader.skip(2)
        var items: [Item] = []
        for _ in 0..<count {
            let length = Int(try reader.uint16())
            items.append(try item(ByteReader(try reader.take(length), subject: reader.subject)))
        }
        return items
    }

    private static func item(_ bytes: ByteReader) throws(PackagingError) -> Item {
        var reader = bytes
        var clips = [try clip(&reader)]
        let flags = try reader.uint16()
        try reader.skip(1)
        let inTime = try reader.uint32()
        let outTime = try reader.uint32()
        // Skips the permitted user operations, the random access flag and the duration of a still.
        try reader.skip(12)
        if flags & 0x10 != 0 {
            let angles = Int(try reader.byte())
            guard angles <= angleLimit else {
                throw PackagingError(
                    .limitExceeded,
                    "\(reader.subject) has \(angles) angles, the limit is \(angleLimit)"
                )
            }
            try reader.skip(1)
            for _ in 1..<max(1, angles) {
                clips.append(try clip(&reader))
                try reader.skip(1)
            }
        }
        let connection = flags & 0x0F
        return Item(
            clips: clips,
            inTime: inTime,
            outTime: outTime,
            connection: connection == 5 || connection == 6 ? .seamless : .separate,
            streams: try streams(&reader)
        )
    }

    private static func clip(_ reader: inout ByteReader) throws(PackagingError) -> String {
        let name = try reader.take(5)
        // Clip names become file names. Only digits are accepted, so that a name cannot lead to another folder.
        guard name.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw PackagingError(.malformed, "\(reader.subject) names a clip that is not five digits")
        }
        try reader.skip(4)
        return String(decoding: name, as: UTF8.self)
    }

    /// Reads the table of streams: only the primary ones, because secondary streams are mixed into them.
    private static func streams(_ reader: inout ByteReader) throws(PackagingError) -> [Stream] {
        let length = Int(try reader.uint16())
        var table = ByteReader(try reader.take(length), subject: reader.subject)
        try table.skip(2)
        let counts = try table.take(3)
        try table.skip(9)
        var streams: [Stream] = []
        for _ in 0..<counts.reduce(0, { $0 + Int($1) }) {
            if let stream = try stream(&table) { streams.append(stream) }
        }
        return streams
    }

    /// `nil` for a stream of another clip, or of an unknown kind.
    private static func stream(_ table: inout ByteReader) throws(PackagingError) -> Stream? {
        let entryLength = Int(try table.byte())
        var entry = ByteReader(try table.take(entryLength), subject: table.subject)
        let length = Int(try table.byte())
        var attributes = ByteReader(try table.take(length), subject: table.subject)
        guard try entry.byte() == 1 else { return nil }
        let pid = Int(try entry.uint16())
        let coding = try attributes.byte()
        let kind: Kind
        switch coding {
        case 0x01, 0x02, 0x1B, 0x20, 0x24, 0xEA: kind = .video
        case 0x03, 0x04, 0x80...0x86, 0xA1, 0xA2: kind = .audio
        case 0x90, 0x91: kind = .graphics
        case 0x92: kind = .text
        default: return nil
        }
        var rate: UInt8 = 0
        if kind == .video { rate = try attributes.byte() & 0x0F }
        if kind == .audio || kind == .text { try attributes.skip(1) }
        let letters = kind == .video ? [] : try attributes.take(3)
        let isLanguage = letters.allSatisfy { (0x61...0x7A).contains($0 | 0x20) }
        return Stream(
            pid: pid,
            kind: kind,
            language: isLanguage ? String(decoding: letters, as: UTF8.self) : "",
            rate: rate
        )
    }

    private static func marks(_ section: ByteReader) throws(PackagingError) -> [Mark] {
        var reader = section
        let count = Int(try reader.uint16())
        var marks: [Mark] = []
        for _ in 0..<count {
            try reader.skip(1)
            let isEntry = try reader.byte() == 1
            let item = Int(try reader.uint16())
            let time = try reader.uint32()
            try reader.skip(6)
            if isEntry { marks.append(Mark(item: item, time: time)) }
        }
        return marks
    }
}
