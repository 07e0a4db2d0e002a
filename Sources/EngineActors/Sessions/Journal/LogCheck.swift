// SPDX-License-Identifier: Apache-2.0

/// Finds damage in the write-ahead log of an SQLite database (<https://sqlite.org/fileformat2.html#the_write_ahead_log>).
///
/// SQLite reads a log up to the first frame that is invalid and reports no error, because a process that is killed while
/// it writes leaves such a frame too. Damage in the middle of a log would silently lose commits.
enum LogCheck {
    private static let headerLength = 32
    private static let frameHeaderLength = 24

    /// The position of the damage: 0 if the header is invalid; otherwise the position of the first whole frame that is
    /// invalid, if a commit is lost because of it. `nil` if there is no damage.
    ///
    /// Commits behind the invalid frame are looked for at every position, because bytes may be missing or added.
    ///
    /// A frame that is cut off by the end of the file is not damage: the process was killed while writing it. Nor are
    /// frames after the last commit: a killed process leaves those of a transaction that it did not commit, and a later
    /// transaction may overwrite only some of them. Frames of an earlier log have other salts.
    static func damagedPosition(in log: [UInt8]) -> Int? {
        guard log.count >= headerLength + frameHeaderLength else { return nil }
        let pageLength = word(log, 8)
        var sum = Checksum(isBigEndian: log[3] & 1 == 1)
        sum.add(log[0..<24])
        guard word(log, 0) & ~1 == 0x377F_0682, sum.isStored(in: log, at: 24), (512...65_536).contains(pageLength),
            pageLength % 8 == 0
        else { return 0 }
        let salts = log[16..<24]
        let frameLength = frameHeaderLength + pageLength
        func holdsCommit(from start: Int) -> Bool {
            (start...(log.count - frameLength)).contains {
                log[$0 + 8] == salts[16] && log[($0 + 8)..<($0 + 16)] == salts && word(log, $0 + 4) != 0
            }
        }
        for frame in stride(from: headerLength, through: log.count - frameLength, by: frameLength) {
            sum.add(log[frame..<(frame + 8)])
            sum.add(log[(frame + frameHeaderLength)..<(frame + frameLength)])
            let isValid = log[(frame + 8)..<(frame + 16)] == salts && sum.isStored(in: log, at: frame + 16)
            if !isValid { return holdsCommit(from: frame) ? frame : nil }
        }
        return nil
    }

    private static func word(_ bytes: [UInt8], _ position: Int) -> Int {
        bytes[position..<(position + 4)].reduce(0) { $0 << 8 | Int($1) }
    }

    /// The checksum of the log, which continues from frame to frame.
    private struct Checksum {
        let isBigEndian: Bool
        private var first: UInt32 = 0
        private var second: UInt32 = 0

        init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

        /// - Parameter bytes: their number is a multiple of eight.
        mutating func add(_ bytes: ArraySlice<UInt8>) {
            for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 8) {
                first &+= value(bytes, start) &+ second
                second &+= value(bytes, start + 4) &+ first
            }
        }

        func isStored(in bytes: [UInt8], at position: Int) -> Bool {
            LogCheck.word(bytes, position) == Int(first) && LogCheck.word(bytes, position + 4) == Int(second)
        }

        private func value(_ bytes: ArraySlice<UInt8>, _ position: Int) -> UInt32 {
            var value: UInt32 = 0
            for offset in 0..<4 {
                value |= UInt32(bytes[position + offset]) << UInt32(8 * (isBigEndian ? 3 - offset : offset))
            }
            return value
        }
    }
}
