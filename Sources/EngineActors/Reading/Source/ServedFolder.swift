// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import Transfers

/// The folder of an open source on a server: the names in it, and its other files. They are requested as the source was.
///
/// Thread-safety: safe. `names` and `bytes` block.
package struct ServedFolder: Sendable {
    /// The URL of the folder, which ends in a slash, for messages and as part of `shown(_:)`: without user name,
    /// password and arguments.
    package var shown: String { url.shown }
    /// The name of the source.
    package let sourceName: [UInt8]
    private let url: ResourceURL
    private let source: HTTPSource
    private let servers: HTTPSources
    private let http: HTTPOptions

    /// - Parameters:
    ///   - source: opened from `url` with the options `http`.
    ///   - isWebDAV: whether the URL, if it is one of HTTP, names a server of WebDAV.
    /// - Returns: `nil` if the protocol of the source has no listings.
    init?(of source: HTTPSource, at url: ResourceURL, isWebDAV: Bool, _ http: HTTPOptions, by servers: HTTPSources) {
        guard let name = url.fileName, let folder = HTTPSources.folder(of: url, isWebDAV: isWebDAV) else { return nil }
        (self.url, self.source, self.servers, self.http) = (folder, source, servers, http)
        sourceName = name
    }

    /// The names of the files in the folder, and with some protocols also those of its folders.
    ///
    /// - Returns: `nil` if the helper of the source knows no folders.
    /// - Throws: see `HTTPSources.names`.
    package func names(interrupt: InterruptFlag) throws(EngineError) -> [[UInt8]]? {
        try servers.names(in: url, of: source, http, interrupt: interrupt)
    }

    /// The URL of a file in the folder, as in `shown`.
    package func shown(_ name: [UInt8]) -> String? { url.beside(name)?.shown }

    /// A whole file of the folder.
    ///
    /// - Throws: see `HTTPSources.fetchWhole`.
    package func bytes(of name: [UInt8], byteLimit: Int64, interrupt: InterruptFlag) throws(EngineError) -> [UInt8] {
        guard let file = url.beside(name) else {
            throw EngineError(.sourceNotReadable, "the URL of a file in \(shown) is too long")
        }
        return try servers.fetchWhole(file, beside: source, http, byteLimit: byteLimit, interrupt: interrupt)
    }
}
