// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import IPC

/// The commands to one renderer, each when it is asked for. Of those that were not read in time only the latest of each
/// kind is left.
///
/// It ends when the renderer has detached or the session is over. It throws `renderer_conflict` when another renderer has
/// the session, `session_not_found` when there is none, and when the connection or the engine ends.
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
            while let message = try await call.next() {
                do throws(EngineError) {
                    if let command = try RendererCommand.decoded(message) { return command }
                } catch {
                    throw EngineClientError(malformed: error)
                }
            }
            return nil
        }
    }
}
