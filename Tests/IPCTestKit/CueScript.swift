// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime

/// A given number of batches with one cue each.
package final class CueScript: PieceSource {
    private struct State {
        var next = 0
        var isCancelled = false
        var isHeld: Bool
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let count: Int
    private let state: Locked<State>

    /// - Parameter isHeld: whether batches wait for `release`, even those of a call that was cancelled.
    package init(count: Int, isHeld: Bool = false) {
        self.count = count
        state = Locked(State(isHeld: isHeld))
    }

    /// Whether a batch waits for `release`.
    package var isWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

    package func release() {
        let waiting = state.withLock { state in
            state.isHeld = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for each in waiting { each.resume() }
    }

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    package static func cue(_ number: Int) -> Cue {
        let text = CueText(plain: "line \(number)", runs: [TextRun(text: "line \(number)")])
        return Cue(track: 2, start: .seconds(Double(number)), end: .seconds(Double(number) + 1), content: .text(text))
    }

    package func next() async throws(EngineError) -> CueBatch? {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                if state.isHeld { state.waiting.append(continuation) }
                return state.isHeld
            }
            if !isHeld { continuation.resume() }
        }
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
