// SPDX-License-Identifier: Apache-2.0

/// The table of titles of a DVD (`VIDEO_TS.IFO`).
package struct VideoManager: Hashable, Sendable {
    package struct Title: Hashable, Sendable {
        /// The title set that contains it, from 1 on.
        package let set: Int
        /// Its number in that set, from 1 on.
        package let number: Int
        package let angleCount: Int
    }

    package static let byteLimit = 4 << 20
    /// The largest number of titles on a disc.
    private static let titleLimit = 99

    package let titles: [Title]

    package init(_ bytes: [UInt8]) throws(PackagingError) {
        let subject = "VIDEO_TS.IFO"
        guard bytes.starts(with: "DVDVIDEO-VMG".utf8) else {
            throw PackagingError(.malformed, "\(subject) does not begin with DVDVIDEO-VMG")
        }
        var reader = try InformationTable.reader(bytes, pointerAt: 0xC4, subject)
        let count = Int(try reader.uint16())
        guard count <= Self.titleLimit else {
            throw PackagingError(.limitExceeded, "\(subject) has \(count) titles, the limit is \(Self.titleLimit)")
        }
        try reader.skip(6)
        var titles: [Title] = []
        for _ in 0..<count {
            try reader.skip(1)
            let angles = Int(try reader.byte())
            try reader.skip(4)
            let set = Int(try reader.byte())
            let number = Int(try reader.byte())
            try reader.skip(4)
            guard (1...99).contains(set), number > 0 else {
                throw PackagingError(.malformed, "\(subject) has a title in the set \(set) with the number \(number)")
            }
            titles.append(Title(set: set, number: number, angleCount: min(9, max(1, angles))))
        }
        self.titles = titles
    }
}

/// Finds the tables in the information files of a DVD: the header states the sector in which each begins.
enum InformationTable {
    static let sectorByteCount = 2048

    /// - Returns: a reader from the table's start to the end of the file.
    static func reader(
        _ bytes: [UInt8],
        pointerAt place: Int,
        _ subject: String
    ) throws(PackagingError) -> ByteReader {
        let start = try self.start(bytes, pointerAt: place, subject)
        guard start > 0 else { throw PackagingError(.malformed, "\(subject) has no table at \(place)") }
        var reader = ByteReader(bytes, subject: subject)
        try reader.skip(start)
        return reader
    }

    /// The first byte of a table; 0 if there is none.
    static func start(_ bytes: [UInt8], pointerAt place: Int, _ subject: String) throws(PackagingError) -> Int {
        var head = ByteReader(bytes, subject: subject)
        try head.skip(place)
        return Int(try head.uint32()) * sectorByteCount
    }
}
