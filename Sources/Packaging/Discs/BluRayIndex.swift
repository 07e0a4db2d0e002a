// SPDX-License-Identifier: Apache-2.0

/// The list of a Blu-ray disc's titles, and the object that it plays first (`index.bdmv`).
package struct BluRayIndex: Hashable, Sendable {
    package enum Entry: Hashable, Sendable {
        /// The number of an object in `MovieObject.bdmv`.
        case movie(Int)
        /// A program in Java, which the engine does not run.
        case java
        case none
    }

    package static let byteLimit = 1 << 20

    package let firstPlay: Entry
    package let titles: [Entry]

    package init(firstPlay: Entry, titles: [Entry]) {
        self.firstPlay = firstPlay
        self.titles = titles
    }

    package init(_ bytes: [UInt8]) throws(PackagingError) {
        let subject = "index.bdmv"
        guard bytes.starts(with: "INDX".utf8) else {
            throw PackagingError(.malformed, "\(subject) does not begin with INDX")
        }
        var reader = ByteReader(bytes, subject: subject)
        try reader.skip(8)
        let offset = Int(try reader.uint32())
        reader = ByteReader(bytes, subject: subject)
        try reader.skip(offset)
        let length = Int(try reader.uint32())
        var section = ByteReader(try reader.take(length), subject: subject)
        firstPlay = try Self.entry(&section)
        _ = try Self.entry(&section)
        let count = Int(try section.uint16())
        var titles: [Entry] = []
        for _ in 0..<count { titles.append(try Self.entry(&section)) }
        self.titles = titles
    }

    private static func entry(_ reader: inout ByteReader) throws(PackagingError) -> Entry {
        let kind = try reader.uint32() >> 30
        try reader.skip(2)
        let object = Int(try reader.uint16())
        try reader.skip(4)
        switch kind {
        case 1: return object == 0xFFFF ? .none : .movie(object)
        case 2: return .java
        default: return .none
        }
    }
}

/// The programs in a Blu-ray disc's `MovieObject.bdmv`, which consist of commands instead of Java. Only the playlists
/// that they name are read.
package struct MovieObjects: Hashable, Sendable {
    package static let byteLimit = 16 << 20

    /// For each object, the numbers of the playlists that its commands name directly. Playlists whose numbers are
    /// computed during playback are missing.
    package let playlists: [[Int]]

    package init(playlists: [[Int]]) { self.playlists = playlists }

    package init(_ bytes: [UInt8]) throws(PackagingError) {
        let subject = "MovieObject.bdmv"
        guard bytes.starts(with: "MOBJ".utf8) else {
            throw PackagingError(.malformed, "\(subject) does not begin with MOBJ")
        }
        var reader = ByteReader(bytes, subject: subject)
        try reader.skip(40)
        let length = Int(try reader.uint32())
        var section = ByteReader(try reader.take(length), subject: subject)
        try section.skip(4)
        let count = Int(try section.uint16())
        var objects: [[Int]] = []
        for _ in 0..<count {
            try section.skip(2)
            let commands = Int(try section.uint16())
            var played: [Int] = []
            for _ in 0..<commands {
                let instruction = try section.uint32()
                let target = try section.uint32()
                try section.skip(4)
                if Self.plays(instruction) { played.append(Int(target)) }
            }
            objects.append(played)
        }
        playlists = objects
    }

    /// Whether a command plays the playlist that its first operand names. These are PlayPL, PlayPL_PI and PlayPL_MK,
    /// the first options of the Play sub-group in the branch group.
    private static func plays(_ instruction: UInt32) -> Bool {
        let group = instruction >> 27 & 3
        let subgroup = instruction >> 24 & 7
        let isImmediate = instruction >> 23 & 1 == 1
        return group == 0 && subgroup == 2 && isImmediate && instruction >> 16 & 0xF <= 2
    }
}
