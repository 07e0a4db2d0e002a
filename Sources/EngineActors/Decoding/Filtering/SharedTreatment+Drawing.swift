// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime

// Drawing has a deadline, because a document does not reveal how long it takes to draw.
extension SharedTreatment {
    private static let patience = Duration.seconds(5)

    /// Rasterizes a drawing, and fits it to the frames under it if `fit` is given.
    ///
    /// - Throws: `invalidArgument` for the field of the drawing; `resourceExhausted` while too many drawings that
    ///   exceeded the deadline still run.
    package func draw(
        _ drawing: OverlayDrawing,
        in size: Drawing.Size,
        fitted fit: DrawingFit? = nil
    ) async throws(EngineError) -> VideoFrame {
        guard hasTimeToDraw else {
            throw EngineError(.resourceExhausted, "earlier drawings that exceeded the time limit are still running")
        }
        let verdict = Verdict<Result<VideoFrame, EngineError>>()
        // The task and its thread end when the drawing is done, in time or not.
        Task {
            let artist = OverlayRasterizer()
            let result: Result<VideoFrame, EngineError>
            do throws(EngineError) {
                let drawn = try await artist.draw(drawing, in: size)
                result = .success(try await artist.fit(drawn, to: fit))
            } catch {
                result = .failure(error)
            }
            if !verdict.give(result) { self.noteLate(-1) }
        }
        // The task ends at the deadline, or when the drawing is done.
        let timer = Task {
            do { try await Task.sleep(for: Self.patience) } catch { return }
            self.noteLate(1)
            let error = EngineError.invalid(drawing.field, "takes longer than \(Self.patience) to draw")
            if !verdict.give(.failure(error)) { self.noteLate(-1) }
        }
        defer { timer.cancel() }
        return try await verdict.value.get()
    }
}

/// Holds the first of several results; later ones are ignored.
///
/// Thread-safety: safe. Only one task may wait.
private final class Verdict<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiter: CheckedContinuation<Value, Never>?
    }

    private let state = Locked(State())

    /// - Returns: whether `value` is the first result.
    func give(_ value: Value) -> Bool {
        let (isFirst, waiter) = state.withLock { state in
            guard state.value == nil else { return (false, nil as CheckedContinuation<Value, Never>?) }
            state.value = value
            return (true, state.waiter)
        }
        waiter?.resume(returning: value)
        return isFirst
    }

    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value = state.withLock { state in
                    if state.value == nil { state.waiter = continuation }
                    return state.value
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }
}
