// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Media bytes that can be read at any offset: a local file, or a resource on a server.
///
/// Thread-safety: safe. Each reader gets a cursor of its own.
package protocol ByteSource: AnyObject, Sendable {
    /// The name for messages: a path, or a URL without user name, password and query.
    var path: String { get }
    var identity: SourceIdentity { get }
    var byteCount: Int64 { get }
    /// The number of bytes that cursors have returned so far.
    var bytesRead: UInt64 { get }
    /// Whether a read at an offset that was not read before costs a round trip to a server.
    var isRemote: Bool { get }

    /// Whether reads have not failed for good.
    var isUsable: Bool { get }

    /// How it was fetched so far; all zero for a file.
    var traffic: SourceTraffic { get }

    /// Why it delivers nothing, whenever that changes. Ends with the task that reads it.
    func waits() -> AsyncStream<SourceWait?>

    /// - Parameter interrupt: ends the current read of the cursor and all later ones, also while they wait.
    func cursor(_ interrupt: InterruptFlag) -> any ByteCursor

    /// Checks that the source is still the one that was opened, as far as that is known without waiting.
    ///
    /// - Throws: `sourceChanged`.
    func verify() throws(EngineError)
}

extension ByteSource {
    package var isUsable: Bool { true }

    package var traffic: SourceTraffic { SourceTraffic() }

    package func waits() -> AsyncStream<SourceWait?> { AsyncStream { $0.finish() } }
}

/// One reader's view of a source. Reads block the calling thread.
///
/// Thread-safety: one thread at a time may use it.
package protocol ByteCursor: AnyObject, Sendable {
    var byteCount: Int64 { get }

    /// Appends bytes from `offset` to `output`, which must have free capacity.
    ///
    /// - Returns: the number of bytes read, 0 at the end.
    /// - Throws: the source's own failure, or `cancelled` after an interruption.
    func read(at offset: Int64, into output: inout OutputRawSpan) throws(EngineError) -> Int

    /// Announces reads that will follow, so that a remote source can fetch all of them at once. Does not wait.
    func expect(_ ranges: [Range<Int64>])
}

extension ByteCursor {
    package func expect(_ ranges: [Range<Int64>]) {}

    /// Up to `count` bytes from `offset`; fewer only at the end of the source. The caller bounds `count`.
    package func read(at offset: Int64, count: Int) throws(EngineError) -> [UInt8] {
        guard offset >= 0, offset < byteCount, count > 0 else { return [] }
        let wanted = Int(min(Int64(count), byteCount - offset))
        return try [UInt8](upTo: wanted) { output throws(EngineError) in
            var end = offset
            while output.freeCapacity > 0 {
                let count = try read(at: end, into: &output)
                if count == 0 { return }
                end += Int64(count)
            }
        }
    }
}

/// Distinguishes one version of a source from another.
package enum SourceIdentity: Hashable, Sendable {
    case file(RegularFile.Identity)
    /// - `url`: without user name, password and query, so that a URL that was signed again is the same.
    /// - `tag`: the strong entity tag, if the server states one.
    case resource(url: String, byteCount: Int64, tag: String?)

    /// The identity as a line of text. `nil` if a later version of the source may have the same.
    package var key: String? {
        switch self {
        case .file(let file):
            "file \(file.device) \(file.inode) \(file.byteCount) \(file.modifiedNanoseconds)"
        case .resource(let url, let byteCount, let tag?): "resource \(url) \(byteCount) \(tag)"
        case .resource: nil
        }
    }
}

/// Bytes in memory.
final class MemoryStore: ByteCursor {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var byteCount: Int64 { Int64(bytes.count) }

    func read(at offset: Int64, into output: inout OutputRawSpan) throws(EngineError) -> Int {
        guard offset >= 0, offset < byteCount else { return 0 }
        let start = Int(offset)
        let count = min(output.freeCapacity, bytes.count - start)
        bytes.copy(start..<start + count, to: &output)
        return count
    }
}
