// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineRuntime

/// A ring in an unnamed file that holds the latest bytes of a stream. The file disappears with this object or the
/// process.
///
/// Thread-safety: safe. Calls block; only one thread at a time may write.
final class SpoolFile: Sendable {
    /// The space of dropped bytes is given back to the file system in pieces of at least this size.
    private static let pieceByteCount: Int64 = 4 << 20

    private let file: SparseFile
    /// The length of the ring.
    private let byteLimit: Int64
    private let range = Locked<Range<Int64>>(0..<0)
    /// The space of the bytes before this offset has been given back.
    private let returned = Locked<Int64>(0)

    init(in directory: String, byteLimit: Int64) throws(Errno) {
        precondition(byteLimit > 0)
        file = try SparseFile(unnamedIn: directory)
        self.byteLimit = byteLimit
    }

    /// The bytes that can be read.
    var held: Range<Int64> { range.withLock { $0 } }

    /// The disk space that the file takes.
    func allocatedByteCount() throws(Errno) -> Int64 { try file.status().allocatedByteCount }

    /// Appends bytes. If they do not continue the last ones, everything written before is dropped.
    func append(_ bytes: [UInt8], at offset: Int64) throws(Errno) {
        precondition(Int64(bytes.count) <= byteLimit)
        let end = offset + Int64(bytes.count)
        // Update the range before the bytes are overwritten, so that concurrent readers notice.
        range.withLock { [byteLimit] range in
            let start = range.upperBound == offset ? range.lowerBound : offset
            range = min(offset, max(start, end - byteLimit))..<offset
        }
        let place = offset % byteLimit
        let room = Int(min(Int64(bytes.count), byteLimit - place))
        if room == bytes.count {
            try file.write(bytes, at: place)
        } else {
            try file.write(Array(bytes[..<room]), at: place)
            try file.write(Array(bytes[room...]), at: 0)
        }
        range.withLock { $0 = $0.lowerBound..<end }
        returned.withLock { $0 = max($0, end - byteLimit) }
    }

    /// Appends the bytes from `offset` on to `output`.
    ///
    /// - Returns: the number of bytes; 0 if the byte at `offset` is not held.
    func read(at offset: Int64, into output: inout OutputRawSpan) throws(Errno) -> Int {
        let held = held
        guard held.contains(offset) else { return 0 }
        let place = offset % byteLimit
        let count = min(Int64(output.freeCapacity), held.upperBound - offset, byteLimit - place)
        let bytes = try file.read(at: place, count: Int(count))
        // The bytes may have been overwritten during the read.
        guard self.held.lowerBound <= offset else { return 0 }
        bytes.copy(0..<bytes.count, to: &output)
        return bytes.count
    }

    /// Drops the bytes before `offset`.
    func drop(before offset: Int64) {
        let held = range.withLock { range in
            range = min(max(range.lowerBound, offset), range.upperBound)..<range.upperBound
            return range
        }
        var start = returned.withLock { $0 }
        while held.lowerBound - start >= Self.pieceByteCount {
            let place = start % byteLimit
            let end = place + min(held.lowerBound - start, byteLimit - place)
            do throws(Errno) { try file.punchHole(place..<end) } catch {
                // The file system does not support holes. The size of the ring is limited anyway.
                return
            }
            start += end - place
        }
        returned.withLock { [start] in $0 = max($0, start) }
    }
}
