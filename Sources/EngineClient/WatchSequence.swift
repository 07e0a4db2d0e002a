// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import Wire

/// The events of a watch, in order, fetched on demand.
///
/// A slow consumer holds back the engine, which then sends the latest state instead of every state. The sequence ends
/// when the session that it names has ended, and throws when the connection or the engine ends. Iterate it once: a
/// second iterator opens a second watch.
public struct WatchSequence: AsyncSequence, Sendable {
    public typealias Element = WatchEvent
    public typealias Failure = EngineClientError

    let client: EngineClient
    let options: WatchOptions

    public func makeAsyncIterator() -> Iterator { Iterator(client: client, options: options) }

    public struct Iterator: AsyncIteratorProtocol {
        let client: EngineClient
        let options: WatchOptions
        private var call: CallHandle?

        init(client: EngineClient, options: WatchOptions) {
            self.client = client
            self.options = options
        }

        public mutating func next() async throws(EngineClientError) -> WatchEvent? {
            try await next(isolation: #isolation)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(EngineClientError) -> WatchEvent? {
            let open: CallHandle
            if let call {
                open = call
            } else {
                open = await client.channel.call("/engine.v1.Engine/Watch", options.framed(), timeout: nil)
                call = open
            }
            return try await open.next(WatchEvent.decoded)
        }
    }
}

extension EngineClient {
    /// Watches over this connection: a snapshot, then the changes (docs/ipc.md, "Watching").
    public func watch(_ options: WatchOptions = WatchOptions()) -> WatchSequence {
        WatchSequence(client: self, options: options)
    }
}
