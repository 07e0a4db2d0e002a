// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import Packaging

/// Writes cues as one ASS script: the source's own script header or a default one, then the events in the order in
/// which the cues are read.
package actor ScriptPieces: PieceSource {
    private let cues: any PieceSource<CueBatch>
    private var hasHead = false

    /// - Parameter cues: must carry raw lines.
    package init(_ cues: any PieceSource<CueBatch>) { self.cues = cues }

    package nonisolated func cancel() { cues.cancel() }

    package func next() async throws(EngineError) -> DataPiece? {
        while let batch = try await cues.next() {
            var text = hasHead ? "" : ASSWriter.head(batch.scriptHeader)
            hasHead = true
            for cue in batch.cues { text += ASSWriter.line(cue) }
            if !text.isEmpty { return DataPiece(Array(text.utf8)) }
        }
        return nil
    }
}
