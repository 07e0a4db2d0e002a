// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// Fetches whole files from servers, within limits of time and size.
///
/// Not thread-safe: used on one thread, which may block.
struct SidecarFetcher {
    private static let byteLimit: Int64 = 64 << 20

    /// Its headers are sent to the first server only, not to servers that it redirects to.
    var http: HTTPOptions
    private let opener: SourceOpener
    private let interrupt: InterruptFlag
    private let source: String
    /// The folder of the source, if it is on a server. The files in it are requested in the same way as the source.
    private let folder: ServedFolder?

    /// - Parameters:
    ///   - opener: fetches the file; its network settings apply.
    ///   - source: the source that is fetched with `http`: the file itself, or the one that it belongs to. The login and
    ///     the client certificate are sent to no other server.
    init(
        _ http: HTTPOptions,
        _ opener: SourceOpener,
        of source: String,
        in folder: ServedFolder? = nil,
        interrupt: InterruptFlag
    ) {
        self.http = http
        self.source = source
        self.folder = folder
        self.opener = opener
        self.interrupt = interrupt
    }

    /// The whole file, never empty. `nil` for a file of this machine.
    func bytes(at place: SidecarLocation) throws(EngineError) -> [UInt8]? {
        switch place {
        case .file, .found: return nil
        case .server(let address):
            return try opener.fetchWhole(
                address.url,
                http,
                meantFor: source,
                byteLimit: Self.byteLimit,
                interrupt: interrupt
            )
        case .served(let name, let shown):
            guard let folder else {
                let text = "\(shown) was found beside the source, which is no longer read from that server"
                throw EngineError(.sourceNotFound, text)
            }
            return try folder.bytes(of: name, byteLimit: Self.byteLimit, interrupt: interrupt)
        }
    }
}
