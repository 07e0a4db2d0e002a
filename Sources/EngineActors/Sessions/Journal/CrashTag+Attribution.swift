// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime

extension CrashTag {
    /// The tag of threads that work for a request outside all sessions. No session is to blame for a crash on them.
    static let noSession = UInt32.max

    /// Calls `body`. A crash on a thread that is started for `body` is attributed to `tag`.
    static func attribute<Value>(
        to tag: UInt32,
        _ body: () async throws(EngineError) -> Value
    ) async throws(EngineError) -> Value {
        let result = await $current.withValue(tag) { () async -> Result<Value, EngineError> in
            do throws(EngineError) { return .success(try await body()) } catch { return .failure(error) }
        }
        return try result.get()
    }
}

/// Pieces that are made on demand. A crash on a thread that is started for them is attributed to one tag.
final class AttributedPieces<Piece: Sendable>: PieceSource {
    private let tag: UInt32
    private let pieces: any PieceSource<Piece>

    /// - Parameter make: makes the source of the pieces.
    init(to tag: UInt32, _ make: () -> any PieceSource<Piece>) {
        self.tag = tag
        pieces = CrashTag.$current.withValue(tag, operation: make)
    }

    func next() async throws(EngineError) -> Piece? {
        try await CrashTag.attribute(to: tag) { () async throws(EngineError) in try await pieces.next() }
    }

    func cancel() { pieces.cancel() }
}
