// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
internal import Packaging

/// A local source with the media of a disc, in which zeros replace the blocks that cannot be read.
///
/// A drive reads a disc in error-correction blocks: where it fails, a whole block is lost, and all others can still be
/// read. Without the zeros, one scratch would end playback.
///
/// Thread-safety: safe. Reads block.
final class ZeroFilledSource: ByteSource {
    /// A source is given up after this many lost blocks in a row, because then the medium was removed or the drive
    /// has failed.
    private static let limit = 256

    private struct State {
        /// The blocks that are known to be lost.
        var lost: Set<Int64> = []
        /// The number of blocks lost since the last successful read.
        var run = 0
    }

    private let source: any ByteSource
    private let blockByteCount: Int64
    private let losses: SourceLosses
    private let state = Locked(State())

    /// - Parameters:
    ///   - blockByteCount: the number of data bytes in an error-correction block.
    ///   - losses: counts the lost blocks.
    init(_ source: any ByteSource, blockByteCount: Int64, losses: SourceLosses) {
        self.source = source
        self.blockByteCount = blockByteCount
        self.losses = losses
    }

    var path: String { source.path }
    var fileName: FilePath? { source.fileName }
    var identity: SourceIdentity { source.identity }
    var byteCount: Int64 { source.byteCount }
    var bytesRead: UInt64 { source.bytesRead }
    var isRemote: Bool { source.isRemote }
    var isUsable: Bool { source.isUsable }

    func verify() throws(EngineError) { try source.verify() }

    func cursor(_ interrupt: InterruptFlag) -> any ByteCursor { Cursor(self, source.cursor(interrupt)) }

    private func isLost(_ block: Int64) -> Bool { state.withLock { $0.lost.contains(block) } }

    private func lose(_ block: Int64, because error: EngineError) throws(EngineError) {
        let isNew = state.withLock { state -> Bool? in
            guard state.run < Self.limit else { return nil }
            state.run += 1
            return state.lost.insert(block).inserted
        }
        guard let isNew else { throw error }
        if isNew { losses.add() }
    }

    private final class Cursor: ByteCursor {
        private let owner: ZeroFilledSource
        private let cursor: any ByteCursor

        init(_ owner: ZeroFilledSource, _ cursor: any ByteCursor) {
            (self.owner, self.cursor) = (owner, cursor)
        }

        var byteCount: Int64 { cursor.byteCount }

        func read(at offset: Int64, into output: inout OutputRawSpan) throws(EngineError) -> Int {
            guard offset >= 0, offset < byteCount else { return 0 }
            let size = owner.blockByteCount
            let block = offset / size
            let rest = Int(min((block + 1) * size, byteCount) - offset)
            if owner.isLost(block) { return fill(rest, &output) }
            do throws(EngineError) {
                return try readable { () throws(EngineError) in try cursor.read(at: offset, into: &output) }
            } catch {
                guard error.code == .sourceReadFailed else { throw error }
            }
            // The failure may concern a later block, or be temporary.
            do throws(EngineError) {
                let bytes = try readable { () throws(EngineError) in
                    try cursor.read(at: offset, count: min(rest, output.freeCapacity))
                }
                bytes.copy(0..<bytes.count, to: &output)
                return bytes.count
            } catch {
                guard error.code == .sourceReadFailed else { throw error }
                try owner.lose(block, because: error)
                return fill(rest, &output)
            }
        }

        private func readable<Value>(_ read: () throws(EngineError) -> Value) throws(EngineError) -> Value {
            let value = try read()
            owner.state.withLock { $0.run = 0 }
            return value
        }

        private func fill(_ count: Int, _ output: inout OutputRawSpan) -> Int {
            let count = min(count, output.freeCapacity)
            for _ in 0..<count { output.append(0) }
            return count
        }
    }
}

/// Counts the blocks of a disc that could not be read.
///
/// Thread-safety: safe.
final class SourceLosses: Sendable {
    private struct State {
        var count = 0
        var last = 0
        var observers: [Int: AsyncStream<Int>.Continuation] = [:]
    }

    private let state = Locked(State())

    /// The number of lost blocks so far.
    var count: Int { state.withLock { $0.count } }

    /// Yields the number of lost blocks after each further loss.
    func stream() -> AsyncStream<Int> {
        let (stream, observer) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.last += 1
            state.observers[state.last] = observer
            return state.last
        }
        observer.onTermination = { [weak self] _ in self?.state.withLock { $0.observers[id] = nil } }
        return stream
    }

    func add() {
        let (count, observers) = state.withLock { state in
            state.count += 1
            return (state.count, Array(state.observers.values))
        }
        for observer in observers { observer.yield(count) }
    }
}

extension DiscFile {
    /// The file with zeros in place of the blocks that cannot be read from a local disc. A server repeats failed
    /// requests itself.
    ///
    /// - Parameter blockByteCount: the number of data bytes in an error-correction block.
    func zeroFilled(blockByteCount: Int64, losses: SourceLosses) -> DiscFile {
        let filled = sources.filter { !$0.value.isRemote }.mapValues {
            ZeroFilledSource($0, blockByteCount: blockByteCount, losses: losses)
        }
        return DiscFile(
            pieces: pieces.map { Piece(source: filled[ObjectIdentifier($0.source)] ?? $0.source, range: $0.range) }
        )
    }
}

extension Notice {
    /// - Parameter count: the number of blocks that could not be read so far.
    package static func unreadable(_ count: Int, of path: String) -> Notice {
        let blocks = count == 1 ? "a block" : "\(count) blocks"
        return Notice(
            .warning,
            "disc.unreadable",
            "\(blocks) of \(path) could not be read; the media in it is left out"
        )
    }
}
