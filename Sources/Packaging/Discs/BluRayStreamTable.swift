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

    /// The streams in the clip: first the primary ones.
    package private(set) var streams: [BluRayPlaylist.Stream] = []
    /// In the clip or in another one.
    package private(set) var unplayed: [Unplayed] = []

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
            guard let (stream, isInClip) = try Self.stream(&table) else { continue }
            if isInClip { streams.append(stream) }
            if stream.kind == .text { unplayed.append(Unplayed(.text, language: stream.language)) }
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

    private mutating func note(_ found: (stream: BluRayPlaylist.Stream, isInClip: Bool)?, _ kind: Unplayed.Kind) {
        guard let (stream, isInClip) = found else { return }
        if isInClip { streams.append(stream) }
        unplayed.append(Unplayed(kind, language: stream.language))
    }

    /// Skips the list of the streams with which a secondary one can be combined.
    private static func skipReferences(_ table: inout ByteReader) throws(PackagingError) {
        let count = Int(try table.byte())
        try table.skip(1 + count + count % 2)
    }

    /// Reads an entry. `nil` for a stream of an unknown kind.
    private static func stream(
        _ table: inout ByteReader
    ) throws(PackagingError) -> (stream: BluRayPlaylist.Stream, isInClip: Bool)? {
        let entryLength = Int(try table.byte())
        var entry = ByteReader(try table.take(entryLength), subject: table.subject)
        let length = Int(try table.byte())
        var attributes = ByteReader(try table.take(length), subject: table.subject)
        let place = try entry.byte()
        // A stream of a sub-path names the path, and of some kinds also one of its clips.
        switch place {
        case 1: break
        case 2: try entry.skip(2)
        case 3, 4: try entry.skip(1)
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
        if kind == .audio || kind == .text { try attributes.skip(1) }
        let letters = kind == .video ? [] : try attributes.take(3)
        let isLanguage = letters.allSatisfy { (0x61...0x7A).contains($0 | 0x20) }
        let stream = BluRayPlaylist.Stream(
            pid: pid,
            kind: kind,
            language: isLanguage ? String(decoding: letters, as: UTF8.self) : "",
            rate: rate
        )
        return (stream, place == 1)
    }
}
