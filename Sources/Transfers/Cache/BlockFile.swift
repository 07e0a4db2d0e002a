// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineRuntime

/// The bytes of one source on disk, in blocks: a sparse file with the bytes, and a table with a checksum of each stored
/// block.
///
/// The checksum covers the key of the source, the number of the block and its bytes. A block is therefore returned
/// exactly as it was written or not at all, even after a killed process, a power loss, a bad disk or another program
/// has damaged the files. The order of writes does not matter, and nothing is synced.
///
/// Thread-safety: safe. Reads and writes block; only one thread at a time may write.
final class BlockFile: Sendable {
    /// The start of the table.
    struct Head: Hashable, Sendable {
        static let byteCount = 4096
        private static let magic = "engined ranges 1"
        private static let urlLimit = 3072

        let key: CacheKey
        /// The length of the source.
        let byteCount: Int64
        /// The URL from which the source was first fetched, for display: without user name, password and query.
        let url: String

        init(key: CacheKey, byteCount: Int64, url: String) {
            self.key = key
            self.byteCount = byteCount
            self.url = String(decoding: url.utf8.prefix(Self.urlLimit), as: UTF8.self)
        }

        /// Returns `nil` unless the bytes are exactly those that `bytes` returns for the head.
        init?(_ bytes: [UInt8]) {
            let lines = bytes.prefix { $0 != 0 }.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
            guard lines.count == 4, lines[0] == Self.magic, let key = CacheKey(name: lines[1]),
                let byteCount = Int64(lines[2]), CacheKey.byteCounts.contains(byteCount)
            else { return nil }
            self.init(key: key, byteCount: byteCount, url: lines[3])
            guard self.bytes == bytes else { return nil }
        }

        /// The head as stored: four lines, zeros, and a checksum in the last 16 bytes.
        var bytes: [UInt8] {
            var bytes = Array([Self.magic, key.name, "\(byteCount)", url, ""].joined(separator: "\n").utf8)
            bytes += [UInt8](repeating: 0, count: Self.byteCount - 16 - bytes.count)
            return bytes + Murmur3.hash(bytes)
        }
    }

    /// 16 bytes that are not all zero: in the table, zeros mark a missing block.
    private struct Checksum: Hashable {
        static let byteCount: Int64 = 16

        let low: UInt64
        let high: UInt64

        /// - Parameter bytes: as in the table. The result is `nil` for zeros.
        init?(_ bytes: ArraySlice<UInt8>) {
            let (front, back) = (bytes.prefix(8), bytes.dropFirst(8))
            low = front.reduce(0) { $0 << 8 | UInt64($1) }
            high = back.reduce(0) { $0 << 8 | UInt64($1) }
            if low == 0, high == 0 { return nil }
        }

        init(of block: Int64, _ key: CacheKey, _ bytes: [UInt8]) {
            let digest = Murmur3.hash(Array("\(key.name) \(block) ".utf8), bytes)
            guard let checksum = Checksum(digest[...]) else { preconditionFailure("a digest of zeros") }
            self = checksum
        }

        var bytes: [UInt8] {
            [low, high].flatMap { word in
                stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
            }
        }
    }

    private struct Slot {
        let checksum: Checksum
        /// When the block was last read or written, in microseconds since 1970.
        var lastUse: Int64
    }

    private struct State {
        var slots: [Int64: Slot] = [:]
        var held = RangeSet64()
    }

    private static let blockByteCount = Int64(RangeCache.blockByteCount)

    let head: Head
    private let bytes: SparseFile
    private let table: SparseFile
    private let state = Locked(State())

    private init(_ head: Head, bytes: SparseFile, table: SparseFile) {
        self.head = head
        self.bytes = bytes
        self.table = table
    }

    static func bytesPath(_ key: CacheKey, in directory: String) -> String { "\(directory)/\(key.name).bytes" }
    static func tablePath(_ key: CacheKey, in directory: String) -> String { "\(directory)/\(key.name).blocks" }

    /// Creates the files of a source, replacing old ones.
    static func make(_ head: Head, in directory: String) throws(Errno) -> BlockFile {
        try remove(head.key, in: directory)
        let bytes = try SparseFile(bytesPath(head.key, in: directory), isNew: true)
        let table = try SparseFile(tablePath(head.key, in: directory), isNew: true)
        try table.write(head.bytes, at: 0)
        return BlockFile(head, bytes: bytes, table: table)
    }

    /// Opens the existing files of a source.
    ///
    /// - Parameter head: the source to which the files must belong.
    /// - Returns: `nil` if the stored head is damaged or belongs to another source.
    static func open(_ head: Head, in directory: String) throws(Errno) -> BlockFile? {
        let table = try SparseFile(tablePath(head.key, in: directory), isNew: false)
        guard let found = Head(try table.read(at: 0, count: Head.byteCount)), found.key == head.key,
            found.byteCount == head.byteCount
        else { return nil }
        let bytes = try SparseFile(bytesPath(head.key, in: directory), isNew: false)
        let file = BlockFile(found, bytes: bytes, table: table)
        try file.readTable()
        return file
    }

    static func remove(_ key: CacheKey, in directory: String) throws(Errno) {
        // Remove the table first: without it, the file of bytes is not used.
        try SmallFile.remove(tablePath(key, in: directory))
        try SmallFile.remove(bytesPath(key, in: directory))
    }

    private func readTable() throws(Errno) {
        let status = try table.status()
        let blocks = (head.byteCount + Self.blockByteCount - 1) / Self.blockByteCount
        let perPiece: Int64 = 65_536
        var slots: [Int64: Slot] = [:]
        var held = RangeSet64()
        var first: Int64 = 0
        while first < blocks, place(of: first) < status.byteCount {
            let count = min(perPiece, blocks - first)
            let piece = try table.read(at: place(of: first), count: Int(count * Checksum.byteCount))
            for index in 0..<piece.count / Int(Checksum.byteCount) {
                guard let checksum = Checksum(piece[index * 16..<index * 16 + 16]) else { continue }
                let block = first + Int64(index)
                slots[block] = Slot(checksum: checksum, lastUse: status.changedUnixMicroseconds)
                held.insert(range(of: block))
            }
            first += count
        }
        state.withLock { [slots, held] in $0 = State(slots: slots, held: held) }
    }

    private func place(of block: Int64) -> Int64 { Int64(Head.byteCount) + block * Checksum.byteCount }

    /// The bytes of a block. The last one may be shorter.
    func range(of block: Int64) -> Range<Int64> {
        block * Self.blockByteCount..<min((block + 1) * Self.blockByteCount, head.byteCount)
    }

    /// The bytes that are stored, according to the table.
    var held: RangeSet64 { state.withLock { $0.held } }

    var blockCount: Int { state.withLock { $0.slots.count } }

    func holds(_ block: Int64) -> Bool { state.withLock { $0.slots[block] != nil } }

    /// The stored blocks, with the time of their last use in microseconds since 1970.
    var uses: [(block: Int64, lastUse: Int64)] { state.withLock { $0.slots.map { ($0.key, $0.value.lastUse) } } }

    /// The bytes of a block as they were written. `nil` if the block is missing or damaged; a damaged block is
    /// forgotten.
    func read(_ block: Int64, now: Int64) -> [UInt8]? {
        guard let known = state.withLock({ $0.slots[block]?.checksum }) else { return nil }
        let range = range(of: block)
        do throws(Errno) {
            let found = try bytes.read(at: range.lowerBound, count: range.count)
            if found.count == range.count, Checksum(of: block, head.key, found) == known {
                state.withLock { $0.slots[block]?.lastUse = now }
                return found
            }
        } catch {
            // A block that cannot be read counts as missing.
        }
        // Keep a block that was written in the meantime: it has another checksum.
        state.withLock { state in
            guard state.slots[block]?.checksum == known else { return }
            state.slots[block] = nil
            state.held.remove(range)
        }
        return nil
    }

    /// The result of writing a block.
    enum Written: Hashable, Sendable {
        case added
        /// The same bytes were stored already.
        case known
        /// Different bytes were stored and are undamaged: the source has changed. The stored bytes are kept.
        case differs
    }

    func write(_ block: Int64, _ new: [UInt8], now: Int64) throws(Errno) -> Written {
        let range = range(of: block)
        precondition(new.count == range.count)
        let checksum = Checksum(of: block, head.key, new)
        if let known = state.withLock({ $0.slots[block]?.checksum }) {
            if known == checksum { return .known }
            if read(block, now: now) != nil { return .differs }
        }
        try bytes.write(new, at: range.lowerBound)
        try table.write(checksum.bytes, at: place(of: block))
        state.withLock { state in
            state.slots[block] = Slot(checksum: checksum, lastUse: now)
            state.held.insert(range)
        }
        return .added
    }

    /// Removes blocks and gives their space back to the file system.
    func drop(_ blocks: [Int64]) throws(Errno) {
        state.withLock { state in
            for block in blocks {
                state.slots[block] = nil
                state.held.remove(range(of: block))
            }
        }
        for block in blocks {
            try table.write([UInt8](repeating: 0, count: Int(Checksum.byteCount)), at: place(of: block))
            try bytes.punchHole(range(of: block))
        }
    }

    /// Records that the source was used now.
    func touch() throws(Errno) { try table.touch() }
}
