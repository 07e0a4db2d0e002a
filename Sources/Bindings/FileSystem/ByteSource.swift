// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Media bytes that can be read at any offset: a local file, or a resource on a server.
///
/// Thread-safety: safe. Each reader gets a cursor of its own.
package protocol ByteSource: AnyObject, Sendable {
    /// The name used in messages: a path, or a URL without user name, password and query.
    var path: String { get }
    /// The name of a local file, as bytes; `nil` for a resource on a server.
    var fileName: FilePath? { get }
    var identity: SourceIdentity { get }
    /// A line of text that identifies this version of the source, in later processes too. `nil` if a later version or
    /// another source may have the same one.
    var versionKey: String? { get }
    /// The length. For a growing source, the length so far.
    var byteCount: Int64 { get }
    /// The growth of the source. `nil` once it is complete.
    var growth: SourceGrowth? { get }
    /// Whether a growing source drops its oldest media as new media arrives, so that its playlists list a window. Does
    /// not change when the source ends.
    var slides: Bool { get }
    /// The arrival of the newest media of a live source. `nil` for any other source, and once the source has ended.
    var live: LiveProgress? { get }
    /// The first byte that can still be read, apart from the head that is needed to open the source. Above 0 only if
    /// the source can be received only once, from start to end, and is too long to keep.
    var oldest: Int64 { get }
    /// The part of a live stream that is kept. `nil` for any other source.
    var window: StreamWindow? { get }
    /// The number of bytes that cursors have returned so far.
    var bytesRead: UInt64 { get }
    /// Whether a read at an offset that was not read before costs a round trip to a server.
    var isRemote: Bool { get }

    /// Whether bytes arrive without requests, when the sender sends them.
    var arrivesByItself: Bool { get }

    /// `false` once the source has failed. A source on a server may recover when it is read later.
    var isUsable: Bool { get }

    /// The traffic so far; all zero for a file.
    var traffic: SourceTraffic { get }

    /// The reception of a live stream so far. Empty for any other source.
    var reception: StreamReception { get }

    /// The start and the end of each wait for bytes that the source does not deliver: one element for each change, of
    /// which a late observer receives only the latest. Ends with the source, or at once for a source that never waits.
    func waits() -> AsyncStream<SourceDelivery>

    /// Makes the next read after a failure try again at once, unless the source has changed. No effect on files and
    /// feeds.
    func retry()

    /// From now on, requests to the servers of the source report its playback. No effect on files.
    ///
    /// - Parameter playback: called whenever requests may be sent, on any thread; must not block. Returns `nil` if
    ///   nothing is known.
    func report(_ playback: @escaping @Sendable () -> PlaybackReport?)

    /// Announces how many bytes one second of playback needs on average, so that reading ahead can keep up. No effect
    /// on files.
    func expectPlayback(at bytesPerSecond: Double)

    /// - Parameter interrupt: ends the current read of the cursor and all later ones, even while they wait.
    func cursor(_ interrupt: InterruptFlag) -> any ByteCursor

    /// Makes a growing source end with the bytes that it has. No effect on any other source.
    func endGrowth()

    /// From now on, the bytes of a live stream before `kept` are not needed, and `oldest` is at least `start`: new
    /// bytes may replace the oldest ones.
    func slide(to start: Int64, keeping kept: Int64)

    /// Call if a live stream turns out to be a recording: from now on, its sender waits for readers, if it can.
    func holdBack()

    /// Closes the connection of a live stream and opens a new one. No effect on any other source, or on a stream
    /// without a connection.
    func renewConnection()

    /// Makes a transport stream end where a video stream continues in another codec. No effect on any other source.
    ///
    /// - Parameter stream: the packet identifier (PID) of the video stream that is played.
    func require(stream: Int)

    /// A cursor for a reader that follows the others, such as a scan: its reads do not move the window of a source that
    /// keeps only a part, so they never make the source drop bytes that other readers may need.
    func follower(_ interrupt: InterruptFlag) -> any ByteCursor

    /// Checks that the source is still the one that was opened, as far as that is known without waiting.
    ///
    /// - Throws: `sourceChanged`.
    func verify() throws(EngineError)
}

/// The growth of a source.
package struct SourceGrowth: Hashable, Sendable {
    /// The final length, if it is known.
    package let expectedByteCount: Int64?
    /// Whether the source can be read in any order once it is complete. While the length is unknown, this is `true`
    /// until the source outgrows its memory.
    package let becomesWhole: Bool
    /// Whether the source is a file that another program is still writing: everything that it has can be read in any
    /// order, and it is not a live stream.
    package let isRecording: Bool

    package init(expectedByteCount: Int64? = nil, becomesWhole: Bool = true, isRecording: Bool = false) {
        self.isRecording = isRecording
        self.expectedByteCount = expectedByteCount
        self.becomesWhole = becomesWhole
    }
}

/// The bytes that are kept of a live stream.
package struct StreamWindow: Hashable, Sendable {
    /// A time before the first byte arrived (CLOCK_MONOTONIC in nanoseconds).
    package var beginning: Int64
    /// The number of bytes that can be kept.
    package var byteLimit: Int64
    /// The reason why older bytes are not kept on disk as they should be. `nil` if there is no problem.
    package var problem: String?

    package init(beginning: Int64, byteLimit: Int64, problem: String? = nil) {
        self.beginning = beginning
        self.byteLimit = byteLimit
        self.problem = problem
    }
}

/// The arrival of the newest media of a live source, and the target latency of playback.
package struct LiveProgress: Hashable, Sendable {
    /// The arrival of the newest media (CLOCK_MONOTONIC in nanoseconds). If `nil`, it arrived when its segment was
    /// planned.
    package var monotonicNanoseconds: Int64?
    /// The distance that playback should keep from the newest media. `nil`: the source does not declare it.
    package var targetLatency: MediaTime?
    /// The distance that playback should keep from the media that arrives now, in addition to the longest segment.
    /// `nil`: the source does not declare it. Not used with `targetLatency`.
    package var reserve: MediaTime?
    /// The time at which the end of the newest media was recorded, in microseconds since 1970. `nil`: not declared.
    package var wallClock: Int64?
    /// The end of the newest media on the timeline. If `nil`, the end of the plan.
    package var newest: MediaTime?
    /// Whether nothing has arrived for longer than the source promises.
    package var isStalled: Bool

    package init(
        monotonicNanoseconds: Int64? = nil,
        targetLatency: MediaTime? = nil,
        reserve: MediaTime? = nil,
        wallClock: Int64? = nil,
        newest: MediaTime? = nil,
        isStalled: Bool = false
    ) {
        self.monotonicNanoseconds = monotonicNanoseconds
        self.targetLatency = targetLatency
        self.reserve = reserve
        self.wallClock = wallClock
        self.newest = newest
        self.isStalled = isStalled
    }
}

extension ByteSource {
    package var fileName: FilePath? { nil }

    package var versionKey: String? { identity.key() }

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

    package func require(stream: Int) {}

    package func report(_ playback: @escaping @Sendable () -> PlaybackReport?) {}

    package func expectPlayback(at bytesPerSecond: Double) {}

    package func follower(_ interrupt: InterruptFlag) -> any ByteCursor { cursor(interrupt) }

    package var isUsable: Bool { true }

    package var traffic: SourceTraffic { SourceTraffic() }

    package var reception: StreamReception { StreamReception() }

    package func waits() -> AsyncStream<SourceDelivery> { AsyncStream { $0.finish() } }

    package func retry() {}

    /// Runs a read whose result must come from the version of the source that was opened.
    ///
    /// - Throws: `sourceChanged` if the source has changed, unless `read` was cancelled: in another version of the
    ///   source, any read may fail. Otherwise the failure of `read`.
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

    /// Appends bytes from `offset` to `output`, which must have free capacity. Waits for bytes that a growing source
    /// does not have yet.
    ///
    /// - Returns: the number of bytes read, 0 at the end.
    /// - Throws: the source's own failure, or `cancelled` after an interruption.
    func read(at offset: Int64, into output: inout OutputRawSpan) throws(EngineError) -> Int

    /// Announces reads that will follow, so that a remote source can fetch all of them at once. Those that matter most
    /// come first: a server is not sent more requests than it and the link can take at a time. Does not wait.
    func expect(_ ranges: [Range<Int64>])
}

/// A read that begins at most this many bytes beyond the end of a growing source waits. Reads farther ahead do not.
let growthPatience: Int64 = 16 << 20

extension ByteCursor {
    package var isGrowing: Bool { false }

    package func expect(_ ranges: [Range<Int64>]) {}

    /// Whether a growing source will have this byte soon.
    func isNear(_ offset: Int64) -> Bool { isGrowing && offset - byteCount <= growthPatience }

    /// Reads up to `count` bytes from `offset`; fewer only at the end of the source, and none if `offset` is far beyond
    /// the end of a growing source. The caller limits `count`.
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
    /// - `digest`: of the list's content, without the parts of URLs that change when they are signed again.
    case list(name: String, digest: String)

    /// The identity as a line of text. `nil` if a later version of the source, or another resource, may have the same
    /// identity.
    ///
    /// - Parameter head: a digest of the first bytes of a resource; `nil` if unknown. Needed because the URLs of two
    ///   resources may differ only in their queries, which the identity leaves out, and an entity tag distinguishes
    ///   only the versions of one resource.
    package func key(head: String? = nil) -> String? {
        switch self {
        case .file(let file):
            "file \(file.device) \(file.inode) \(file.byteCount) \(file.modifiedNanoseconds)"
        case .resource(let url, let byteCount, let tag?): head.map { "resource \(url) \(byteCount) \(tag) \($0)" }
        case .resource: nil
        case .list(let name, let digest): "list \(name) \(digest)"
        }
    }
}

/// Whether a source delivers the bytes that were requested.
package enum SourceDelivery: Hashable, Sendable {
    /// It delivers nothing at present.
    case waits(SourceWait)
    /// It delivers again.
    case resumed
    /// The wait is over, but nothing has arrived: the source has failed, or its stream or connection has ended.
    case givenUp

    package var wait: SourceWait? { if case .waits(let wait) = self { wait } else { nil } }
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
