// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime

/// A given number of batches with one cue each.
package final class CueScript: PieceSource {
    private struct State {
        var next = 0
        var isCancelled = false
    }

    private let count: Int
    private let state = Locked(State())

    package init(count: Int) { self.count = count }

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    package static func cue(_ number: Int) -> Cue {
        let text = CueText(plain: "line \(number)", runs: [TextRun(text: "line \(number)")])
        return Cue(track: 2, start: .seconds(Double(number)), end: .seconds(Double(number) + 1), content: .text(text))
    }

    package func next() async throws(EngineError) -> CueBatch? {
        let number = state.withLock { state in
            state.next += 1
            return state.next - 1
        }
        guard number < count else { return nil }
        var batch = CueBatch()
        batch.cues = [Self.cue(number)]
        batch.progress = Double(number + 1) / Double(count)
        return batch
    }

    package func cancel() { state.withLock { $0.isCancelled = true } }
}
