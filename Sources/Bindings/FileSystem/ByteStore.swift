// SPDX-License-Identifier: Apache-2.0

/// Bytes that libavformat can read at any offset: a file, or memory.
protocol ByteStore: AnyObject, Sendable {
    var byteCount: Int64 { get }

    /// Fills `buffer` from `offset`. Returns the bytes read, 0 at the end.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int
}

extension RegularFile: ByteStore {}

/// Bytes in memory.
final class MemoryStore: ByteStore {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var byteCount: Int64 { Int64(bytes.count) }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
        guard offset >= 0, offset < byteCount else { return 0 }
        let start = Int(offset)
        let count = min(buffer.count, bytes.count - start)
        unsafe bytes.withUnsafeBytes { source in
            unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[start..<start + count]))
        }
        return count
    }
}
