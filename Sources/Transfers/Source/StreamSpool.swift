// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// Where live streams keep what does not fit into memory.
package struct SpoolPlace: Hashable, Sendable {
    /// Made, with its parents, if missing.
    package let directory: String
    /// For each stream.
    package let byteLimit: Int64

    package init(directory: String, byteLimit: Int64) {
        self.directory = directory
        self.byteLimit = byteLimit
    }
}

/// Keeps the bytes of a live stream that leave memory on disk. They are copied there when half of the memory is full, on a thread
/// of its own: no receiver waits for the disk. A disk that cannot be written, or that is too slow, costs only the older bytes.
///
/// Thread-safety: safe. Reads block.
final class StreamSpool: Sendable {
    private struct State {
        var file: SpoolFile?
        /// `nil` until something has to be written.
        var thread: SpoolThread?
        /// The first byte that is not on disk yet.
        var next: Int64
        var newest: Int64 = 0
        /// The bytes before it are not needed any more.
        var dropped: Int64 = 0
        var isBusy = false
        /// Why nothing is written any more.
        var problem: String?
    }

    /// How much is written at once.
    private static let pieceByteCount: Int64 = 1 << 20

    private let place: SpoolPlace
    private let memory: RangeCache
    private let source: RangeCache.Source
    private let state: Locked<State>

    /// - Parameters:
    ///   - head: the first bytes, which stay in memory.
    init(_ place: SpoolPlace, of source: RangeCache.Source, in memory: RangeCache, behind head: Int64) {
        self.place = place
        self.memory = memory
        self.source = source
        state = Locked(State(next: head))
    }

    /// The bytes on disk.
    var held: Range<Int64> { state.withLock(\.file)?.held ?? 0..<0 }

    var problem: String? { state.withLock { $0.problem } }

    /// How many bytes are on disk at most.
    var byteLimit: Int64 { place.byteLimit }

    /// The stream is in memory up to `newest`.
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

    /// The bytes before `offset` are not needed any more.
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
        // Ends with the work, which is a few calls of the file system for each piece that is due.
        Task { await thread.run { work(self) } }
    }

    /// Appends to `output` what is on disk from `offset` on.
    ///
    /// - Returns: the number of bytes, 0 if the byte at `offset` is not there.
    func read(at offset: Int64, into output: inout OutputRawSpan) -> Int {
        guard let file = state.withLock(\.file) else { return 0 }
        do throws(Errno) { return try file.read(at: offset, into: &output) } catch {
            end(because: error)
            return 0
        }
    }

    /// Copies to disk what has come, except the newest quarter of the memory.
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
            // What the memory has lost in the meantime is missing, and so is what lies before it.
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
        let file = try SpoolFile(in: place.directory, byteLimit: max(Self.pieceByteCount, place.byteLimit))
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

/// Writes what others hand over.
private actor SpoolThread {
    private let executor = ThreadExecutor(name: "spool", niceness: 5)
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    func run(_ work: @Sendable () -> Void) { work() }
}
