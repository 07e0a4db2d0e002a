// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineRuntime

/// The bytes of one source on disk, in blocks: a sparse file with the bytes, and a table that states which part of each
/// block is stored, with its checksum.
///
/// The checksum covers the key of the source, the place of the part and its bytes. A part is therefore returned exactly
/// as it was written or not at all, even after a killed process, a power loss, a bad disk or another program has
/// damaged the files. The order of writes does not matter, and nothing is synced.
///
/// Thread-safety: safe. Reads and writes block; only one thread at a time may write.
final class BlockFile: Sendable {
    /// The start of the table.
    struct Head: Hashable, Sendable {
        static let byteCount = 4096
        private static let magic = "engined ranges 2"
        private static let urlLimit = 3072

        let key: CacheKey
        /// The length of the source.
        let byteCount: Int64
        /// The URL from which the source was first fetched, for display: without user name, password and query.
        let url: String
        /// The version that the server stated, at the URL after redirects. `nil` if that does not identify the bytes.
        let version: VersionName?

        init(key: CacheKey, byteCount: Int64, url: String, version: VersionName? = nil) {
            self.key = key
            self.byteCount = byteCount
            self.url = String(decoding: url.utf8.prefix(Self.urlLimit), as: UTF8.self)
            self.version = version
        }

        /// Returns `nil` unless the bytes are exactly those that `bytes` returns for the head.
        init?(_ bytes: [UInt8]) {
            let lines = bytes.prefix { $0 != 0 }.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
            guard lines.count == 5, lines[0] == Self.magic, let key = CacheKey(name: lines[1]),
                let byteCount = Int64(lines[2]), CacheKey.byteCounts.contains(byteCount)
            else { return nil }
            self.init(key: key, byteCount: byteCount, url: lines[3], version: VersionName(text: lines[4]))
            guard self.bytes == bytes else { return nil }
        }

        /// The head as stored: five lines, zeros, and a checksum in the last 16 bytes.
        var bytes: [UInt8] {
            let lines = [Self.magic, key.name, "\(byteCount)", url, version?.text ?? "-", ""]
            var bytes = Array(lines.joined(separator: "\n").utf8)
            bytes += [UInt8](repeating: 0, count: Self.byteCount - 16 - bytes.count)
            return bytes + Murmur3.hash(bytes)
        }
    }

    /// 16 bytes that are not all zero.
    private struct Checksum: Hashable {
        let low: UInt64
        let high: UInt64

        /// - Parameter bytes: as in the table. The result is `nil` for zeros.
        init?(_ bytes: ArraySlice<UInt8>) {
            let (front, back) = (bytes.prefix(8), bytes.dropFirst(8))
            low = front.reduce(0) { $0 << 8 | UInt64($1) }
            high = back.reduce(0) { $0 << 8 | UInt64($1) }
            if low == 0, high == 0 { return nil }
        }

        /// - Parameter offset: the file offset of the bytes.
        init(of bytes: [UInt8], at offset: Int64, _ key: CacheKey) {
            let digest = Murmur3.hash(Array("\(key.name) \(offset) \(bytes.count) ".utf8), bytes)
            guard let checksum = Checksum(digest[...]) else { preconditionFailure("a digest of zeros") }
            self = checksum
        }

        var bytes: [UInt8] {
            [low, high].flatMap { word in
                stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
            }
        }
    }

    /// The stored part of a block. In the table: its start and its end in the block, 4 bytes each, and its checksum;
    /// zeros mark a block of which nothing is stored.
    private struct Slot {
        static let byteCount: Int64 = 24

        /// The bytes of the source that are stored.
        let part: Range<Int64>
        let checksum: Checksum
        /// When the block was last read or written, in microseconds since 1970.
        var lastUse: Int64

        init(_ part: Range<Int64>, _ checksum: Checksum, lastUse: Int64) {
            (self.part, self.checksum, self.lastUse) = (part, checksum, lastUse)
        }

        /// - Parameters:
        ///   - bytes: as in the table. The result is `nil` if they are not those of a part of the block.
        ///   - block: the bytes of the whole block.
        init?(_ bytes: ArraySlice<UInt8>, of block: Range<Int64>, lastUse: Int64) {
            let bounds = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let (start, end) = (Int64(bounds >> 32), Int64(bounds & 0xFFFF_FFFF))
            guard start < end, end <= block.count, let checksum = Checksum(bytes.dropFirst(8)) else { return nil }
            self.init(block.lowerBound + start..<block.lowerBound + end, checksum, lastUse: lastUse)
        }

        func bytes(in block: Range<Int64>) -> [UInt8] {
            [part.lowerBound, part.upperBound].flatMap { place in
                let offset = UInt32(place - block.lowerBound)
                return stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: offset >> UInt32($0)) }
            } + checksum.bytes
        }
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
            let size = Int(Slot.byteCount)
            let piece = try table.read(at: place(of: first), count: Int(count) * size)
            for index in 0..<piece.count / size {
                let block = first + Int64(index)
                let entry = piece[index * size..<(index + 1) * size]
                guard let slot = Slot(entry, of: range(of: block), lastUse: status.changedUnixMicroseconds) else {
                    continue
                }
                slots[block] = slot
                held.insert(slot.part)
            }
            first += count
        }
        state.withLock { [slots, held] in $0 = State(slots: slots, held: held) }
    }

    private func place(of block: Int64) -> Int64 { Int64(Head.byteCount) + block * Slot.byteCount }

    /// The bytes of a block. The last one may be shorter.
    func range(of block: Int64) -> Range<Int64> {
        block * Self.blockByteCount..<min((block + 1) * Self.blockByteCount, head.byteCount)
    }

    /// The bytes that are stored, according to the table.
    var held: RangeSet64 { state.withLock { $0.held } }

    var heldByteCount: Int64 { held.ranges.reduce(Int64(0)) { $0 + ($1.upperBound - $1.lowerBound) } }

    var blockCount: Int { state.withLock { $0.slots.count } }

    func holds(_ block: Int64) -> Bool { state.withLock { $0.slots[block] != nil } }

    /// The stored blocks, with the time of their last use in microseconds since 1970.
    var uses: [(block: Int64, lastUse: Int64)] { state.withLock { $0.slots.map { ($0.key, $0.value.lastUse) } } }

    /// The stored part of a block as it was written, with its file offset. `nil` if it is missing or damaged; a damaged
    /// part is forgotten.
    func read(_ block: Int64, now: Int64) -> (offset: Int64, bytes: [UInt8])? {
        guard let known = state.withLock({ $0.slots[block] }) else { return nil }
        let offset = known.part.lowerBound
        do throws(Errno) {
            let found = try bytes.read(at: offset, count: known.part.count)
            if found.count == known.part.count, Checksum(of: found, at: offset, head.key) == known.checksum {
                state.withLock { $0.slots[block]?.lastUse = now }
                return (offset, found)
            }
        } catch {
            // A part that cannot be read counts as missing.
        }
        // Keep a part that was written in the meantime: it has another checksum.
        state.withLock { state in
            guard state.slots[block]?.checksum == known.checksum else { return }
            state.slots[block] = nil
            state.held.remove(known.part)
        }
        return nil
    }

    /// The result of writing a part of a block.
    enum Written: Hashable, Sendable {
        case added
        /// As many bytes of the block, or more, were stored already.
        case known
        /// Different bytes were stored and are undamaged: the source has changed. The stored bytes are kept.
        case differs
    }

    /// Writes a part of a block. It replaces a shorter or damaged one.
    ///
    /// - Parameters:
    ///   - new: not empty.
    ///   - offset: the file offset of the bytes, all of which belong to one block.
    func write(_ new: [UInt8], at offset: Int64, now: Int64) throws(Errno) -> Written {
        let block = offset / Self.blockByteCount
        let (range, part) = (range(of: block), offset..<offset + Int64(new.count))
        precondition(!part.isEmpty && range.contains(part.upperBound - 1))
        let checksum = Checksum(of: new, at: offset, head.key)
        if let known = state.withLock({ $0.slots[block] }) {
            if known.part == part, known.checksum == checksum { return .known }
            if let old = read(block, now: now) {
                if part.overlaps(known.part) {
                    let both = part.clamped(to: known.part)
                    let (here, there) = (Int(both.lowerBound - offset), Int(both.lowerBound - old.offset))
                    guard new[here..<here + both.count] == old.bytes[there..<there + both.count] else {
                        return .differs
                    }
                }
                if known.part.count >= part.count { return .known }
            }
        }
        let slot = Slot(part, checksum, lastUse: now)
        try bytes.write(new, at: offset)
        try table.write(slot.bytes(in: range), at: place(of: block))
        state.withLock { state in
            if let old = state.slots[block] { state.held.remove(old.part) }
            state.slots[block] = slot
            state.held.insert(part)
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
            try table.write([UInt8](repeating: 0, count: Int(Slot.byteCount)), at: place(of: block))
            try bytes.punchHole(range(of: block))
        }
    }

    /// Records that the source was used now.
    func touch() throws(Errno) { try table.touch() }
}
