// SPDX-License-Identifier: Apache-2.0

/// The table of streams of a playlist's item (`STN_table`).
package struct BluRayStreamTable: Hashable, Sendable {
    /// A stream that the disc provides and the engine does not present as the disc intends.
    package struct Unplayed: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            /// Such as commentary, which a player mixes with the primary audio.
            case secondaryAudio
            /// Picture-in-picture video.
            case secondaryVideo
            /// Subtitles as text, with fonts of the disc.
            case text
        }

        package let kind: Kind
        /// As in `BluRayPlaylist.Stream`.
        package let language: String

        package init(_ kind: Kind, language: String = "") {
            self.kind = kind
            self.language = language
        }
    }

    /// Subtitles as text, which lie in clips of their own.
    package struct Text: Hashable, Sendable {
        package let pid: Int
        /// As in `BluRayPlaylist.Stream`.
        package let language: String
        /// The name of its charset in the C library.
        package let charset: String
        /// The number of the sub-path that names the clips.
        package let path: Int

        package init(pid: Int, language: String, charset: String, path: Int) {
            self.pid = pid
            self.language = language
            self.charset = charset
            self.path = path
        }
    }

    /// By the disc's codes: for each charset of a disc, the name of the largest charset that contains it.
    private static let charsets: [UInt8: String] = [
        1: "UTF-8", 2: "UTF-16BE", 3: "CP932", 4: "CP949", 5: "GB18030", 6: "GB18030", 7: "BIG5",
    ]

    /// The streams in the clip: first the primary ones.
    package private(set) var streams: [BluRayPlaylist.Stream] = []
    /// In the clip or in another one.
    package private(set) var unplayed: [Unplayed] = []
    /// The text subtitles among `unplayed` that can be shown if their clips exist.
    package private(set) var texts: [Text] = []

    package init(streams: [BluRayPlaylist.Stream], unplayed: [Unplayed] = []) {
        self.streams = streams
        self.unplayed = unplayed
    }

    init(_ reader: inout ByteReader) throws(PackagingError) {
        let length = Int(try reader.uint16())
        var table = ByteReader(try reader.take(length), subject: reader.subject)
        try table.skip(2)
        // Video, audio and subtitles; then interactive graphics, secondary audio and video, and subtitles for these.
        let counts = try table.take(8).map(Int.init)
        try table.skip(4)
        for _ in 0..<counts[..<3].reduce(0, +) {
            guard let entry = try Self.stream(&table) else { continue }
            if entry.path == nil { streams.append(entry.stream) }
            if entry.stream.kind == .text { note(text: entry) }
        }
        do throws(PackagingError) {
            try readSecondary(&table, graphics: counts[6] + counts[3], audio: counts[4], video: counts[5])
        } catch {
            // Nothing that is played depends on the rest of the table.
        }
    }

    private mutating func readSecondary(
        _ table: inout ByteReader,
        graphics: Int,
        audio: Int,
        video: Int
    ) throws(PackagingError) {
        for _ in 0..<graphics { _ = try Self.stream(&table) }
        for _ in 0..<audio {
            let found = try Self.stream(&table)
            try Self.skipReferences(&table)
            note(found, .secondaryAudio)
        }
        for _ in 0..<video {
            let found = try Self.stream(&table)
            try Self.skipReferences(&table)
            try Self.skipReferences(&table)
            note(found, .secondaryVideo)
        }
    }

    private mutating func note(_ found: Entry?, _ kind: Unplayed.Kind) {
        guard let found else { return }
        if found.path == nil { streams.append(found.stream) }
        unplayed.append(Unplayed(kind, language: found.stream.language))
    }

    private mutating func note(text found: Entry) {
        let language = found.stream.language
        unplayed.append(Unplayed(.text, language: language))
        guard let path = found.path, let charset = Self.charsets[found.charset] else { return }
        texts.append(Text(pid: found.stream.pid, language: language, charset: charset, path: path))
    }

    /// An entry of the table.
    private struct Entry {
        let stream: BluRayPlaylist.Stream
        /// The number of the sub-path that names its clips. `nil` if it is in the item's clip.
        let path: Int?
        /// The code of the charset of text. 0 for other streams.
        let charset: UInt8
    }

    /// Skips the list of the streams with which a secondary one can be combined.
    private static func skipReferences(_ table: inout ByteReader) throws(PackagingError) {
        let count = Int(try table.byte())
        try table.skip(1 + count + count % 2)
    }

    /// Reads an entry. `nil` for a stream of an unknown kind.
    private static func stream(_ table: inout ByteReader) throws(PackagingError) -> Entry? {
        let entryLength = Int(try table.byte())
        var entry = ByteReader(try table.take(entryLength), subject: table.subject)
        let length = Int(try table.byte())
        var attributes = ByteReader(try table.take(length), subject: table.subject)
        let place = try entry.byte()
        // A stream of a sub-path names the path and, in kind 2, also one of the path's clips.
        var path: Int?
        switch place {
        case 1: break
        case 2:
            path = Int(try entry.byte())
            try entry.skip(1)
        case 3, 4: path = Int(try entry.byte())
        default: return nil
        }
        let pid = Int(try entry.uint16())
        let coding = try attributes.byte()
        let kind: BluRayPlaylist.Kind
        switch coding {
        case 0x01, 0x02, 0x1B, 0x20, 0x24, 0xEA: kind = .video
        case 0x03, 0x04, 0x80...0x86, 0xA1, 0xA2: kind = .audio
        case 0x90, 0x91: kind = .graphics
        case 0x92: kind = .text
        default: return nil
        }
        var rate: UInt8 = 0
        if kind == .video { rate = try attributes.byte() & 0x0F }
        let format = try kind == .audio || kind == .text ? attributes.byte() : 0
        let letters = kind == .video ? [] : try attributes.take(3)
        let isLanguage = letters.allSatisfy { (0x61...0x7A).contains($0 | 0x20) }
        let stream = BluRayPlaylist.Stream(
            pid: pid,
            kind: kind,
            language: isLanguage ? String(decoding: letters, as: UTF8.self) : "",
            rate: rate
        )
        return Entry(stream: stream, path: path, charset: kind == .text ? format : 0)
    }
}
