// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Media bytes that can be read at any offset: a local file, or a resource on a server.
///
/// Thread-safety: safe. Each reader gets a cursor of its own.
package protocol ByteSource: AnyObject, Sendable {
    /// The name for messages: a path, or a URL without user name, password and query.
    var path: String { get }
    /// The name of a local file, which may have no text.
    var fileName: FilePath? { get }
    var identity: SourceIdentity { get }
    /// The length. Of a source that grows, how much of it there is now.
    var byteCount: Int64 { get }
    /// How the source grows. `nil` once it is complete.
    var growth: SourceGrowth? { get }
    /// The first byte that can still be read, apart from the head that opening the source needs. Not 0 only if the source
    /// was received once, from start to end, and was too long to keep.
    var oldest: Int64 { get }
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

    /// A source that grows ends with what there is of it. Without effect on others.
    func endGrowth()

    /// A cursor for a reader that takes what there is, such as a scan: it does not make a source with a moving window drop
    /// bytes that others may want.
    func follower(_ interrupt: InterruptFlag) -> any ByteCursor

    /// Checks that the source is still the one that was opened, as far as that is known without waiting.
    ///
    /// - Throws: `sourceChanged`.
    func verify() throws(EngineError)
}

/// How a source grows.
package struct SourceGrowth: Hashable, Sendable {
    /// The length that it will have, if that is known.
    package let expectedByteCount: Int64?
    /// Whether all of it can be read in any order once it is complete.
    package let becomesWhole: Bool

    package init(expectedByteCount: Int64? = nil, becomesWhole: Bool = true) {
        self.expectedByteCount = expectedByteCount
        self.becomesWhole = becomesWhole
    }
}

extension ByteSource {
    package var fileName: FilePath? { nil }

    package var growth: SourceGrowth? { nil }

    package var oldest: Int64 { 0 }

    package func endGrowth() {}

    package func follower(_ interrupt: InterruptFlag) -> any ByteCursor { cursor(interrupt) }

    package var isUsable: Bool { true }

    package var traffic: SourceTraffic { SourceTraffic() }

    package func waits() -> AsyncStream<SourceWait?> { AsyncStream { $0.finish() } }
}

/// One reader's view of a source. Reads block the calling thread.
///
/// Thread-safety: one thread at a time may use it.
package protocol ByteCursor: AnyObject, Sendable {
    /// As `ByteSource.byteCount`.
    var byteCount: Int64 { get }

    /// Whether bytes may follow the last one.
    var isGrowing: Bool { get }

    /// Appends bytes from `offset` to `output`, which must have free capacity. Waits for those that a growing source does
    /// not have yet.
    ///
    /// - Returns: the number of bytes read, 0 at the end.
    /// - Throws: the source's own failure, or `cancelled` after an interruption.
    func read(at offset: Int64, into output: inout OutputRawSpan) throws(EngineError) -> Int

    /// Announces reads that will follow, so that a remote source can fetch all of them at once. Does not wait.
    func expect(_ ranges: [Range<Int64>])
}

/// How far behind the end of a growing source a read may begin: it waits. Farther ones are not worth waiting for.
let growthPatience: Int64 = 16 << 20

extension ByteCursor {
    package var isGrowing: Bool { false }

    package func expect(_ ranges: [Range<Int64>]) {}

    /// Whether a growing source will have this byte soon.
    func isNear(_ offset: Int64) -> Bool { isGrowing && offset - byteCount <= growthPatience }

    /// Up to `count` bytes from `offset`; fewer only at the end of the source, and none if a growing source is far from
    /// having them. The caller bounds `count`.
    package func read(at offset: Int64, count: Int) throws(EngineError) -> [UInt8] {
        let isNear = isNear(offset)
        guard offset >= 0, isNear || offset < byteCount, count > 0 else { return [] }
        let wanted = isNear ? count : Int(min(Int64(count), byteCount - offset))
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
