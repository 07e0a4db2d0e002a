// SPDX-License-Identifier: Apache-2.0

/// A playlist of a Blu-ray disc (`PLAYLIST/*.mpls`): the parts of clips that make one title, and where its chapters
/// begin.
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
        package let table: BluRayStreamTable

        /// The streams in the clip.
        package var streams: [Stream] { table.streams }

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

    /// A part of a clip that is presented beside the items (`SubPlayItem`).
    package struct SubItem: Hashable, Sendable {
        package let clip: String
        package let inTime: UInt32
        package let outTime: UInt32
        /// The item in which it begins, and when, on the clock of that item.
        package let item: Int
        package let start: UInt32
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
    /// Whether the title is in 3D: a second view is coded beside the clips, and depends on their pictures.
    package let isStereoscopic: Bool
    /// The clips of text subtitles, by the number of the sub-path that names them.
    package let texts: [Int: [SubItem]]

    package init(items: [Item], marks: [Mark], isStereoscopic: Bool = false, texts: [Int: [SubItem]] = [:]) {
        self.items = items
        self.marks = marks
        self.isStereoscopic = isStereoscopic
        self.texts = texts
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
        let extensionOffset = Int(try head.uint32())
        var parts = try Self.section(bytes, at: itemsOffset, subject)
        let pathCount: Int
        (items, pathCount) = try Self.items(&parts)
        texts = Self.texts(&parts, of: pathCount)
        // A playlist without marks is valid: its title has no chapters.
        marks = try marksOffset == 0 ? [] : Self.marks(try Self.section(bytes, at: marksOffset, subject))
        var isStereoscopic = false
        do throws(PackagingError) {
            if extensionOffset > 0 {
                isStereoscopic = try Self.hasSecondView(try Self.section(bytes, at: extensionOffset, subject))
            }
        } catch {
            // Nothing that is played depends on the extensions.
        }
        self.isStereoscopic = isStereoscopic
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

    /// - Returns: the items, and the number of the sub-paths after them.
    private static func items(_ reader: inout ByteReader) throws(PackagingError) -> (items: [Item], pathCount: Int) {
        try reader.skip(2)
        let count = Int(try reader.uint16())
        guard count <= itemLimit else {
            throw PackagingError(.limitExceeded, "\(reader.subject) has \(count) items, the limit is \(itemLimit)")
        }
        let pathCount = Int(try reader.uint16())
        var items: [Item] = []
        for _ in 0..<count {
            let length = Int(try reader.uint16())
            items.append(try item(ByteReader(try reader.take(length), subject: reader.subject)))
        }
        return (items, pathCount)
    }

    /// Reads the sub-paths of text subtitles, as far as they are not damaged: only these subtitles depend on them.
    private static func texts(_ reader: inout ByteReader, of count: Int) -> [Int: [SubItem]] {
        var texts: [Int: [SubItem]] = [:]
        do throws(PackagingError) {
            for number in 0..<count {
                let length = Int(try reader.uint32())
                var path = ByteReader(try reader.take(length), subject: reader.subject)
                try path.skip(1)
                guard try path.byte() == textPath else { continue }
                try path.skip(3)
                for _ in 0..<(try path.byte()) {
                    let length = Int(try path.uint16())
                    var item = ByteReader(try path.take(length), subject: reader.subject)
                    texts[number, default: []].append(try subItem(&item))
                }
            }
        } catch {
            // The sub-paths before the damaged one are used.
        }
        return texts
    }

    /// The type of a sub-path with text subtitles.
    private static let textPath: UInt8 = 4

    private static func subItem(_ reader: inout ByteReader) throws(PackagingError) -> SubItem {
        let clip = try clip(&reader)
        // Skips the connection to the part before, and the number of the clock.
        try reader.skip(5)
        return SubItem(
            clip: clip,
            inTime: try reader.uint32(),
            outTime: try reader.uint32(),
            item: Int(try reader.uint16()),
            start: try reader.uint32()
        )
    }

    private static func item(_ bytes: ByteReader) throws(PackagingError) -> Item {
        var reader = bytes
        var clips = [try clip(&reader)]
        let flags = try reader.uint16()
        try reader.skip(1)
        let inTime = try reader.uint32()
        let outTime = try reader.uint32()
        // The clock wraps, so a later end may be the smaller number.
        guard outTime &- inTime <= UInt32.max / 2 else {
            throw PackagingError(.malformed, "\(reader.subject) has a part that ends before it begins")
        }
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
            table: try BluRayStreamTable(&reader)
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

    /// Whether the extensions of a playlist have a table of streams for 3D.
    private static func hasSecondView(_ section: ByteReader) throws(PackagingError) -> Bool {
        var reader = section
        try reader.skip(7)
        let count = Int(try reader.byte())
        for _ in 0..<count {
            let name = (try reader.uint16(), try reader.uint16())
            try reader.skip(8)
            if name == (2, 1) { return true }
        }
        return false
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
