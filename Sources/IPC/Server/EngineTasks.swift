// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import NIOCore

/// Runs the engine's work in tasks, and brings the results back to the event loop. Used only on the event loop.
final class EngineTasks {
    private let loop: any EventLoop
    /// Runs short engine work on the event loop itself.
    private let executor: LoopExecutor
    private(set) var runningCount = 0
    private var onIdle: () -> Void = {}
    private var stillArrival: UInt64 = 0

    init(on loop: any EventLoop) {
        self.loop = loop
        executor = LoopExecutor(isOnLoop: { loop.inEventLoop }, execute: { loop.execute($0) })
    }

    /// - Parameter onIdle: called on the event loop when a task has ended and no other is running.
    func notifyWhenIdle(_ onIdle: @escaping () -> Void) { self.onIdle = onIdle }

    /// The arrival number of the next request for a still (`StillService.still`). The tasks of two requests may begin
    /// in either order.
    func nextStillArrival() -> UInt64 {
        stillArrival += 1
        return stillArrival
    }

    /// Runs engine work and calls `completion` with its result on the event loop.
    ///
    /// - Parameter isShort: whether `body` only changes state and does not wait for media. Then it runs on the event
    ///   loop immediately: no thread is woken, and the result is usually available before this returns.
    /// - Returns: the task. If the caller cancels it, `completion` is still called.
    func run<Value: Sendable>(
        isShort: Bool = false,
        _ body: @escaping @Sendable () async throws(EngineError) -> Value,
        completion: @escaping (Result<Value, EngineError>) -> Void
    ) -> Task<Void, Never> {
        runningCount += 1
        let back = NIOLoopBound((tasks: self, completion: completion), eventLoop: loop)
        let loop = loop
        // Owned by the caller's handler, which cancels it when the call ends. Only the reports and the detaching of a
        // `RenderHandler` run to their end.
        return Task(executorPreference: isShort ? executor : nil) {
            let result: Result<Value, EngineError>
            do throws(EngineError) { result = .success(try await body()) } catch { result = .failure(error) }
            let finish = { @Sendable in
                let (tasks, completion) = back.value
                tasks.runningCount -= 1
                // May run another task.
                completion(result)
                if tasks.runningCount == 0 { tasks.onIdle() }
            }
            if loop.inEventLoop { finish() } else { loop.execute(finish) }
        }
    }
}
