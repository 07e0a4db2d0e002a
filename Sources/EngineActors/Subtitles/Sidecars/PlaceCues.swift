// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// The cues of whatever is at a place: a file of subtitles, or media that holds some.
///
/// A name that files of subtitles have, or a server, means the former. Anything else is media unless nothing of media is found
/// in it.
actor PlaceCues: PieceSource {
    private let request: CueRequest
    private let source: String
    private nonisolated let current: Locked<Current>
    private var hasBegun = false

    private struct Current {
        var pieces: any PieceSource<CueBatch>
        var isCancelled = false
    }

    init(_ request: CueRequest, of source: String) {
        self.request = request
        self.source = source
        let isSidecar = Self.isSidecar(source)
        hasBegun = isSidecar
        let pieces: any PieceSource<CueBatch> =
            isSidecar ? SidecarCues(request, of: source) : SourceCues(request, of: source)
        current = Locked(Current(pieces: pieces))
    }

    private static func isSidecar(_ source: String) -> Bool {
        WebAddress(source) != nil || SidecarFormat.extensions.contains(SidecarName(source).fileExtension)
    }

    nonisolated func cancel() {
        let pieces = current.withLock { current in
            current.isCancelled = true
            return current.pieces
        }
        pieces.cancel()
    }

    func next() async throws(EngineError) -> CueBatch? {
        let pieces = current.withLock { $0.pieces }
        guard !hasBegun else { return try await pieces.next() }
        hasBegun = true
        do throws(EngineError) {
            return try await pieces.next()
        } catch {
            guard error.code == .sourceNotMedia, !current.withLock({ $0.isCancelled }) else { throw error }
            return try await subtitles(insteadOf: error)
        }
    }

    /// What is no media may be subtitles under another name. If it is not, what is wrong with it as media is told, but where it
    /// is known what it is.
    private func subtitles(insteadOf failure: EngineError) async throws(EngineError) -> CueBatch? {
        let pieces = SidecarCues(request, of: source)
        do throws(EngineError) {
            let first = try await pieces.next()
            let isCancelled = current.withLock { current in
                current.pieces = pieces
                return current.isCancelled
            }
            if isCancelled { pieces.cancel() }
            return first
        } catch {
            let isUnknown = error.code == .sourceNotMedia && error.cause.isEmpty
            throw isUnknown || error.code == .sourceEmpty ? failure : error
        }
    }
}
