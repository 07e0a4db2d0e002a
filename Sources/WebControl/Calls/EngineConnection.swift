// SPDX-License-Identifier: Apache-2.0

internal import EngineClient

/// The connection to the engine's own socket. Every call goes over it, so the engine checks, limits and answers calls
/// over HTTP like those of any client.
///
/// Connects at the first call, and again after the connection was lost. Called by the tasks of requests; owned by
/// `WebControl`.
actor EngineConnection {
    private let socket: String
    private var client: EngineClient?

    init(socket: String) { self.socket = socket }

    func connected() async throws(EngineClientError) -> EngineClient {
        if let client { return client }
        let new = try await EngineClient.connect(socket: socket, patience: nil)
        // Another call may have connected meanwhile.
        if let client { return client }
        client = new
        return new
    }

    /// Forgets a client whose call has failed because its connection was lost. Keeps a newer one, which another call may
    /// have connected meanwhile.
    func drop(_ failed: EngineClient) { if let client, client.sharesConnection(with: failed) { self.client = nil } }

    func close() async {
        let old = client
        client = nil
        await old?.close()
    }
}
