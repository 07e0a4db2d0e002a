// SPDX-License-Identifier: Apache-2.0

public import EngineModel

/// An element of a followed watch.
public enum FollowEvent: Sendable {
    case event(WatchEvent)
    /// The connection to the engine was lost, and the known state of its sessions is out of date. The sequence waits
    /// for an engine.
    case disconnected(EngineClientError)
    /// An engine is listening again. Use this client for commands from now on; snapshots follow.
    case connected(EngineClient)
}

/// A watch that survives engine restarts: when the connection is lost, it waits for an engine on the same socket and
/// watches that engine.
///
/// It ends when the session that it names has ended, and throws when the engine rejects the watch, e.g. with
/// `session_not_found` for a named session that did not come back. Iterate it once: a second iterator opens a second
/// watch.
public struct FollowSequence: AsyncSequence, Sendable {
    public typealias Element = FollowEvent
    public typealias Failure = EngineClientError

    let client: EngineClient
    let options: WatchOptions
    let retryInterval: Duration

    public func makeAsyncIterator() -> Iterator {
        Iterator(socket: client.socket, options: options, retryInterval: retryInterval, client: client)
    }

    public struct Iterator: AsyncIteratorProtocol {
        private enum State {
            case watching(WatchSequence.Iterator)
            case waiting
            case ended
        }

        private let socket: String
        private let options: WatchOptions
        private let retryInterval: Duration
        private var state: State

        init(socket: String, options: WatchOptions, retryInterval: Duration, client: EngineClient) {
            self.socket = socket
            self.options = options
            self.retryInterval = retryInterval
            state = .watching(client.watch(options).makeAsyncIterator())
        }

        public mutating func next() async throws(EngineClientError) -> FollowEvent? {
            try await next(isolation: #isolation)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(EngineClientError) -> FollowEvent? {
            switch state {
            case .watching(var events):
                let failure: EngineClientError
                do throws(EngineClientError) {
                    if let event = try await events.next(isolation: actor) {
                        state = .watching(events)
                        return .event(event)
                    }
                    state = .ended
                    return nil
                } catch {
                    failure = error
                }
                state = failure.isConnectionLoss ? .waiting : .ended
                guard failure.isConnectionLoss else { throw failure }
                return .disconnected(failure)
            case .waiting:
                do throws(EngineClientError) {
                    try await pause()
                    let client = try await EngineClient.connect(socket: socket, retryingEvery: retryInterval)
                    state = .watching(client.watch(options).makeAsyncIterator())
                    return .connected(client)
                } catch {
                    state = .ended
                    throw error
                }
            case .ended: return nil
            }
        }

        /// Avoids a tight loop on an engine that accepts connections and closes them at once.
        private func pause() async throws(EngineClientError) {
            do { try await Task.sleep(for: retryInterval) } catch { throw .cancelled }
        }
    }
}

extension EngineClient {
    /// Watches, and continues after the engine restarts.
    ///
    /// - Parameter retryInterval: the time between two attempts to connect.
    public func follow(
        _ options: WatchOptions = WatchOptions(),
        retryInterval: Duration = .milliseconds(250)
    ) -> FollowSequence {
        FollowSequence(client: self, options: options, retryInterval: retryInterval)
    }
}
