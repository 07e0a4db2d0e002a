// SPDX-License-Identifier: Apache-2.0

/// Lends each of a few resources to one caller at a time. A resource that becomes free goes to the caller that has been
/// urgent for longest, otherwise to the one that has waited longest.
///
/// Thread-safety: safe.
package final class Turns<Resource: Sendable>: Sendable {
    private struct Waiter {
        let id: UInt64
        let urgentSince: @Sendable () -> Int64?
        let continuation: CheckedContinuation<Resource?, Never>
    }

    private struct State {
        var free: [Resource] = []
        var made = 0
        var lastWaiter: UInt64 = 0
        /// In order of arrival.
        var waiters: [Waiter] = []
    }

    private enum Answer {
        case resource(Resource)
        case new(number: Int)
        case cancelled
        case wait
    }

    private let count: Int
    private let make: @Sendable (_ number: Int) -> Resource
    private let whenFree: @Sendable (Resource) -> Void
    private let state = Locked(State())

    /// - Parameters:
    ///   - count: the number of resources, at least 1.
    ///   - make: makes a resource when all others are lent. `number` counts from 1.
    ///   - whenFree: called when a resource is given back and no caller waits for it. By the time it runs, another caller may have
    ///     the resource.
    package init(
        count: Int,
        make: @escaping @Sendable (_ number: Int) -> Resource,
        whenFree: @escaping @Sendable (Resource) -> Void = { _ in }
    ) {
        self.count = max(1, count)
        self.whenFree = whenFree
        self.make = make
    }

    /// The number of callers that wait.
    package var waitingCount: Int { state.withLock(\.waiters.count) }

    /// Waits for a resource, and lends it to `body`.
    ///
    /// - Parameter urgentSince: since when the caller is urgent, on any clock that all callers share; `nil` if it is not.
    ///   Called on any thread whenever a resource becomes free while the caller waits. It may take locks.
    /// - Returns: what `body` returns; `nil` if the task was cancelled before it had a resource, so that `body` was not
    ///   called.
    package func with<Result, Failure: Error>(
        urgentSince: @escaping @Sendable () -> Int64? = { nil },
        _ body: (Resource) async throws(Failure) -> Result
    ) async throws(Failure) -> Result? {
        guard let resource = await take(urgentSince) else { return nil }
        defer { giveBack(resource) }
        return try await body(resource)
    }

    private func take(_ urgentSince: @escaping @Sendable () -> Int64?) async -> Resource? {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Answer in
                    // A later cancellation finds the waiter in the list.
                    guard !Task.isCancelled else { return .cancelled }
                    if let resource = state.free.popLast() { return .resource(resource) }
                    if state.made < count {
                        state.made += 1
                        return .new(number: state.made)
                    }
                    state.waiters.append(Waiter(id: id, urgentSince: urgentSince, continuation: continuation))
                    return .wait
                }
                switch answer {
                case .resource(let resource): continuation.resume(returning: resource)
                case .new(let number): continuation.resume(returning: make(number))
                case .cancelled: continuation.resume(returning: nil)
                case .wait: break
                }
            }
        } onCancel: {
            remove(id)?.continuation.resume(returning: nil)
        }
    }

    private func giveBack(_ resource: Resource) {
        while true {
            let waiters = state.withLock { state in
                if state.waiters.isEmpty { state.free.append(resource) }
                return state.waiters
            }
            // `urgentSince` is called without the lock, because it may take one of its own.
            let urgent = waiters.compactMap { waiter in waiter.urgentSince().map { (id: waiter.id, since: $0) } }
            // Of equal ones, `min` returns the first.
            guard let chosen = urgent.min(by: { $0.since < $1.since })?.id ?? waiters.first?.id else {
                return whenFree(resource)
            }
            // `nil` if the waiter got another resource at the same time, or was cancelled.
            if let waiter = remove(chosen) { return waiter.continuation.resume(returning: resource) }
        }
    }

    private func remove(_ id: UInt64) -> Waiter? {
        state.withLock { state in
            state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
        }
    }
}
