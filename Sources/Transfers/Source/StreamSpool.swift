// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// Where live streams keep the bytes that do not fit into memory, and how many.
package struct SpoolSettings: Hashable, Sendable {
    /// Created, with its parents, if missing.
    package let directory: String
    /// The limit for each stream.
    package let byteLimit: Int64

    package init(directory: String, byteLimit: Int64) {
        self.directory = directory
        self.byteLimit = byteLimit
    }
}

/// Copies bytes of a live stream to disk before they are evicted from memory. Copying starts when half of the memory is
/// full, on a thread of its own, so that no receiver waits for the disk. If the disk fails or is too slow, only older
/// bytes are lost.
///
/// Thread-safety: safe. Reads block.
final class StreamSpool: Sendable {
    private struct State {
        var file: SpoolFile?
        /// `nil` until something is written or dropped.
        var thread: SpoolThread?
        /// The first byte that is not on disk yet.
        var next: Int64
        var newest: Int64 = 0
        /// Bytes before this offset are no longer needed.
        var dropped: Int64 = 0
        var isBusy = false
        /// The reason why nothing is written any more.
        var problem: String?
    }

    /// The size of one write.
    private static let pieceByteCount: Int64 = 1 << 20

    private let settings: SpoolSettings
    private let memory: RangeCache
    private let source: RangeCache.Source
    private let state: Locked<State>

    /// - Parameter head: the length of the head of the stream, which stays in memory.
    init(_ settings: SpoolSettings, of source: RangeCache.Source, in memory: RangeCache, after head: Int64) {
        self.settings = settings
        self.memory = memory
        self.source = source
        state = Locked(State(next: head))
    }

    /// The bytes on disk.
    var held: Range<Int64> { state.withLock(\.file)?.held ?? 0..<0 }

    var problem: String? { state.withLock { $0.problem } }

    /// The maximum number of bytes on disk.
    var byteLimit: Int64 { settings.byteLimit }

    /// Records that the stream has been received up to `newest`, and copies bytes to disk when enough have arrived.
    /// Does not block.
    func received(to newest: Int64) {
        let lag = Int64(memory.byteLimit / 2)
        let isDue = state.withLock { state in
            state.newest = newest
            guard !state.isBusy, state.problem == nil, newest - state.next >= lag else { return false }
            state.isBusy = true
            return true
        }
        if isDue { perform { $0.spill() } }
    }

    /// Drops the bytes before `offset`, which are no longer needed. Does not block.
    func drop(before offset: Int64) {
        let isLater = state.withLock { state in
            guard offset > state.dropped, state.file != nil else { return false }
            state.dropped = offset
            return true
        }
        if isLater { perform { $0.state.withLock(\.file)?.drop(before: offset) } }
    }

    private func perform(_ work: @escaping @Sendable (StreamSpool) -> Void) {
        let thread = state.withLock { state in
            let thread = state.thread ?? SpoolThread()
            state.thread = thread
            return thread
        }
        // The task ends when the work is done: a few file system calls for each piece that is due.
        Task { await thread.run { work(self) } }
    }

    /// Appends the bytes on disk from `offset` on to `output`.
    ///
    /// - Returns: the number of bytes; 0 if the byte at `offset` is not on disk.
    func read(at offset: Int64, into output: inout OutputRawSpan) -> Int {
        guard let file = state.withLock(\.file) else { return 0 }
        do throws(Errno) { return try file.read(at: offset, into: &output) } catch {
            end(because: error)
            return 0
        }
    }

    /// Copies the received bytes to disk, except the newest quarter of the memory.
    private func spill() {
        let keep = Int64(memory.byteLimit / 4)
        while true {
            let piece = state.withLock { state -> Range<Int64>? in
                let start = max(state.next, state.dropped)
                guard state.problem == nil, state.newest - start >= keep + Self.pieceByteCount else {
                    state.isBusy = false
                    return nil
                }
                return start..<start + Self.pieceByteCount
            }
            guard let piece else { return }
            // Bytes that memory has evicted before they were copied are lost, and so are the earlier bytes on disk.
            let start = memory.held(source).firstHeld(in: piece.lowerBound..<(.max))?.lowerBound ?? piece.upperBound
            let bytes = memory.bytes(start..<start + Self.pieceByteCount, of: source)
            guard !bytes.isEmpty else {
                state.withLock { $0.next = start }
                continue
            }
            do throws(Errno) {
                try openedFile().append(bytes, at: start)
            } catch {
                end(because: error)
            }
            state.withLock { $0.next = start + Int64(bytes.count) }
        }
    }

    private func openedFile() throws(Errno) -> SpoolFile {
        if let file = state.withLock(\.file) { return file }
        let file = try SpoolFile(in: settings.directory, byteLimit: max(Self.pieceByteCount, settings.byteLimit))
        state.withLock { $0.file = file }
        return file
    }

    private func end(because error: Errno) {
        state.withLock { state in
            state.problem = state.problem ?? "\(error)"
            state.file = nil
        }
    }
}

/// The thread of one spool.
private actor SpoolThread {
    private let executor = ThreadExecutor(name: "spool", niceness: 5)
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    func run(_ work: @Sendable () -> Void) { work() }
}
