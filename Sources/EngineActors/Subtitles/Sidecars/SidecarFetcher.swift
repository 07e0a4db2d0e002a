// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// Fetches a whole file from a server, within limits of time and size.
///
/// Not thread-safe: used on one thread, which may block.
struct SidecarFetcher {
    private static let byteLimit: Int64 = 64 << 20

    /// Its headers are sent to the first server only, not to servers that it redirects to. Its credentials and client
    /// certificate are meant for the source's server and are never sent.
    var http: HTTPOptions
    private let opener: SourceOpener
    private let interrupt: InterruptFlag

    /// - Parameter opener: fetches the file; its network settings apply.
    init(_ http: HTTPOptions, _ opener: SourceOpener, interrupt: InterruptFlag) {
        self.http = http
        self.opener = opener
        self.interrupt = interrupt
    }

    /// The whole file, never empty.
    func bytes(at address: WebAddress) throws(EngineError) -> [UInt8] {
        try opener.fetchWhole(address.url, http, byteLimit: Self.byteLimit, interrupt: interrupt)
    }
}
