// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Media bytes that can be read at any offset: a local file, or a resource on a server.
///
/// Thread-safety: safe. Each reader gets a cursor of its own.
package protocol ByteSource: AnyObject, Sendable {
    /// The name for messages: a path, or a URL without user name, password and query.
    var path: String { get }
    /// The name of a local file, as bytes; `nil` for a resource on a server.
    var fileName: FilePath? { get }
    var identity: SourceIdentity { get }
    /// The length. For a growing source, the length so far.
    var byteCount: Int64 { get }
    /// How the source grows. `nil` once it is complete.
    var growth: SourceGrowth? { get }
    /// Whether the oldest media of a source that grows is dropped while new media comes, so that its playlists list a window.
    /// Stays when the source has ended.
    var slides: Bool { get }
    /// When the newest media of a live source came. `nil` for any other source, and once it has ended.
    var live: LiveProgress? { get }
    /// The first byte that can still be read, apart from the head that is needed to open the source. Above 0 only if
    /// the source can be received only once, from start to end, and is too long to keep.
    var oldest: Int64 { get }
    /// What is kept of a live stream. `nil` for any other source.
    var window: StreamWindow? { get }
    /// The number of bytes that cursors have returned so far.
    var bytesRead: UInt64 { get }
    /// Whether a read at an offset that was not read before costs a round trip to a server.
    var isRemote: Bool { get }

    /// Whether bytes arrive as they are sent, without being asked for.
    var arrivesByItself: Bool { get }

    /// `false` once reads have failed for good.
    var isUsable: Bool { get }

    /// The traffic so far; all zero for a file.
    var traffic: SourceTraffic { get }

    /// How a live stream has been received so far. Empty for any other source.
    var reception: StreamReception { get }

    /// Why the source delivers nothing, `nil` while it delivers; one element for each change. Ends with the task that
    /// reads the stream.
    func waits() -> AsyncStream<SourceWait?>

    /// From now on, what the servers of the source are told about its playback, if anything. Without effect on files.
    ///
    /// - Parameter playback: called on any thread, with each request; must not block. `nil`: nothing is known.
    func report(_ playback: @escaping @Sendable () -> PlaybackReport?)

    /// - Parameter interrupt: ends the current read of the cursor and all later ones, even while they wait.
    func cursor(_ interrupt: InterruptFlag) -> any ByteCursor

    /// Makes a growing source end with the bytes that it has. No effect on any other source.
    func endGrowth()

    /// From now on, nothing before `kept` of a live stream is needed, and `oldest` is not below `start`: its oldest bytes make
    /// room for what comes.
    func slide(to start: Int64, keeping kept: Int64)

    /// A live stream has turned out to be a recording: from now on, its sender waits for readers, as far as it can.
    func holdBack()

    /// Ends the connection over which a live stream comes, and begins another. No effect on any other source, and where there
    /// is no connection.
    func renewConnection()

    /// A cursor for a reader that follows the others, such as a scan: its reads do not move the window of a source that
    /// keeps only a part, so it never makes the source drop bytes that others may want.
    func follower(_ interrupt: InterruptFlag) -> any ByteCursor

    /// Checks that the source is still the one that was opened, as far as that is known without waiting.
    ///
    /// - Throws: `sourceChanged`.
    func verify() throws(EngineError)
}

/// How a source grows.
package struct SourceGrowth: Hashable, Sendable {
    /// The final length, if it is known.
    package let expectedByteCount: Int64?
    /// Whether the source can be read in any order once it is complete.
    package let becomesWhole: Bool

    package init(expectedByteCount: Int64? = nil, becomesWhole: Bool = true) {
        self.expectedByteCount = expectedByteCount
        self.becomesWhole = becomesWhole
    }
}

/// The bytes that are kept of a live stream.
package struct StreamWindow: Hashable, Sendable {
    /// CLOCK_MONOTONIC, in nanoseconds: before the first byte came.
    package var beginning: Int64
    /// How many bytes can be kept.
    package var byteLimit: Int64
    /// Why older bytes are not kept on disk as they should be. `nil` if nothing is wrong.
    package var problem: String?

    package init(beginning: Int64, byteLimit: Int64, problem: String? = nil) {
        self.beginning = beginning
        self.byteLimit = byteLimit
        self.problem = problem
    }
}

/// When the newest media of a live source came, and how far behind it playback should be.
package struct LiveProgress: Hashable, Sendable {
    /// CLOCK_MONOTONIC, in nanoseconds, when the newest media came. `nil`: when its segment was planned.
    package var monotonicNanoseconds: Int64?
    /// How far behind the newest media playback should be. `nil`: the source does not say.
    package var targetLatency: MediaTime?
    /// When the end of the newest media was recorded, in microseconds since 1970. `nil`: the source does not say.
    package var wallClock: Int64?
    /// Where the newest media ends on the timeline. `nil`: with the plan.
    package var newest: MediaTime?
    /// Whether nothing has come for longer than the source promises.
    package var isStalled: Bool

    package init(
        monotonicNanoseconds: Int64? = nil,
        targetLatency: MediaTime? = nil,
        wallClock: Int64? = nil,
        newest: MediaTime? = nil,
        isStalled: Bool = false
    ) {
        self.monotonicNanoseconds = monotonicNanoseconds
        self.targetLatency = targetLatency
        self.wallClock = wallClock
        self.newest = newest
        self.isStalled = isStalled
    }
}

extension ByteSource {
    package var fileName: FilePath? { nil }

    package var growth: SourceGrowth? { nil }

    package var slides: Bool { false }

    package var live: LiveProgress? { nil }

    package var oldest: Int64 { 0 }

    package var window: StreamWindow? { nil }

    package func slide(to start: Int64, keeping kept: Int64) {}

    package func holdBack() {}

    package var arrivesByItself: Bool { false }

    package func endGrowth() {}

    package func renewConnection() {}

    package func report(_ playback: @escaping @Sendable () -> PlaybackReport?) {}

    package func follower(_ interrupt: InterruptFlag) -> any ByteCursor { cursor(interrupt) }

    package var isUsable: Bool { true }

    package var traffic: SourceTraffic { SourceTraffic() }

    package var reception: StreamReception { StreamReception() }

    package func waits() -> AsyncStream<SourceWait?> { AsyncStream { $0.finish() } }

    /// Runs a read whose result must come from the version of the source that was opened.
    ///
    /// - Throws: `sourceChanged` in place of any other failure, because in another version of the source any read may
    ///   fail; except `cancelled`.
    package func verified<Value>(_ read: () throws(EngineError) -> Value) throws(EngineError) -> Value {
        let value: Value
        do throws(EngineError) { value = try read() } catch {
            if error.code != .cancelled { try verify() }
            throw error
        }
        try verify()
        return value
    }
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

/// A read that begins at most this far beyond the end of a growing source waits. Reads farther ahead do not.
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
    /// - `url`: without user name, password and query, so that a newly signed URL names the same source.
    /// - `tag`: the strong entity tag, if the server states one.
    case resource(url: String, byteCount: Int64, tag: String?)
    /// A list of resources.
    ///
    /// - `name`: the path of the list, or its URL without user name, password and query.
    /// - `digest`: of what the list says, without the parts of URLs that change when they are signed again.
    case list(name: String, digest: String)

    /// The identity as a line of text. `nil` if a later version of the source may have the same identity.
    package var key: String? {
        switch self {
        case .file(let file):
            "file \(file.device) \(file.inode) \(file.byteCount) \(file.modifiedNanoseconds)"
        case .resource(let url, let byteCount, let tag?): "resource \(url) \(byteCount) \(tag)"
        case .resource: nil
        case .list(let name, let digest): "list \(name) \(digest)"
        }
    }
}

/// A source whose bytes are in memory.
package final class MemorySource: ByteSource {
    package let path: String
    package let identity: SourceIdentity
    private let bytes: [UInt8]

    /// - Parameters:
    ///   - name: for messages.
    ///   - digest: of the bytes.
    package init(_ bytes: [UInt8], name: String, digest: String) {
        self.bytes = bytes
        path = name
        identity = .list(name: name, digest: digest)
    }

    package var byteCount: Int64 { Int64(bytes.count) }
    package var bytesRead: UInt64 { 0 }
    package var isRemote: Bool { false }

    package func cursor(_ interrupt: InterruptFlag) -> any ByteCursor { MemoryStore(bytes) }

    package func verify() throws(EngineError) {}
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
