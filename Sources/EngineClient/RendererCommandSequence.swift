// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import Wire

/// The commands to one renderer, fetched on demand. Of the commands that a slow consumer has not read, the engine keeps
/// only the latest of each kind.
///
/// It ends when the renderer has detached or the session has ended. It throws `renderer_conflict` when the session has
/// another renderer, `session_not_found` when there is no session, and a connection failure when the connection or the
/// engine ends.
public struct RendererCommandSequence: AsyncSequence, Sendable {
    public typealias Element = RendererCommand
    public typealias Failure = EngineClientError

    let call: CallHandle

    public func makeAsyncIterator() -> Iterator { Iterator(call: call) }

    public struct Iterator: AsyncIteratorProtocol {
        let call: CallHandle

        public mutating func next() async throws(EngineClientError) -> RendererCommand? {
            try await next(isolation: #isolation)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(EngineClientError) -> RendererCommand? {
            try await call.next(RendererCommand.decoded)
        }
    }
}
