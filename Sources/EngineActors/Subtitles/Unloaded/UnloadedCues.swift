// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime
internal import Packaging
package import Reading

/// The cues at a path or URL, which is either a subtitle file or media with subtitle tracks.
///
/// A location with the extension of a subtitle file is read as one. Anything else is first opened as media, then as a
/// subtitle file if it is not media, or if it is on a server and not readable as a source (`sourceNotReadable`).
package actor UnloadedCues: PieceSource {
    private let request: CueRequest
    private let source: String
    private let opener: SourceOpener
    private nonisolated let current: Locked<Current>
    private var hasBegun = false

    private struct Current {
        var pieces: any PieceSource<CueBatch>
        var isCancelled = false
    }

    package init(_ request: CueRequest, of source: String, _ opener: SourceOpener) {
        self.request = request
        self.source = source
        self.opener = opener
        let isSidecar = Self.isSidecar(source)
        hasBegun = isSidecar
        let pieces: any PieceSource<CueBatch> =
            isSidecar ? SidecarCues(request, of: source, opener) : SourceCues(request, of: source, opener)
        current = Locked(Current(pieces: pieces))
    }

    private static func isSidecar(_ source: String) -> Bool {
        let name = ServerAddress(source)?.name ?? source
        return SidecarFormat.extensions.contains(SidecarName(name).fileExtension)
    }

    package nonisolated func cancel() {
        let pieces = current.withLock { current in
            current.isCancelled = true
            return current.pieces
        }
        pieces.cancel()
    }

    package func next() async throws(EngineError) -> CueBatch? {
        let pieces = current.withLock { $0.pieces }
        guard !hasBegun else { return try await pieces.next() }
        hasBegun = true
        do throws(EngineError) {
            return try await pieces.next()
        } catch {
            let isOther =
                error.code == .sourceNotMedia || SourceOpener.isURL(source) && error.code == .sourceNotReadable
            guard isOther, !current.withLock({ $0.isCancelled }) else { throw error }
            return try await subtitles(insteadOf: error)
        }
    }

    /// Reads a source that is not media as a subtitle file with an unusual name. If that fails too, throws the error
    /// from opening the source as media, unless the second error describes the file better.
    private func subtitles(insteadOf failure: EngineError) async throws(EngineError) -> CueBatch? {
        let pieces = SidecarCues(request, of: source, opener)
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
