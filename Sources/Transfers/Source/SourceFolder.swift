// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime

/// The folder of an open source on a server, and the other files in it. They are requested as the source was, with its
/// credentials, header fields and settings, and no address may have a narrower scope than the source's. Each request is
/// sent once, and is queued behind those of the sources on its server.
///
/// Thread-safety: safe. `names` and `bytes` block.
package struct SourceFolder: Sendable {
    /// The time limit for listing a folder.
    private static let listingPatience = Duration.seconds(15)
    /// The size limit of a listing, in bytes. Helpers of this project list at most 8 MiB of names.
    private static let listingByteLimit: Int64 = 16 << 20
    /// The status of an answer with several statuses (RFC 4918 §11.1).
    private static let multistatus = 207

    /// The URL of the folder, which ends in a slash.
    package let url: ResourceURL
    /// The name of the source.
    package let sourceName: [UInt8]
    private let source: HTTPSource
    private let http: HTTPOptions
    private let servers: HTTPSources

    /// - Parameters:
    ///   - source: opened from `url` with the options `http`.
    ///   - isWebDAV: whether an HTTP URL was written with a WebDAV scheme.
    /// - Returns: `nil` if the protocol of the source has no listings.
    package init?(
        of source: HTTPSource,
        at url: ResourceURL,
        isWebDAV: Bool,
        _ http: HTTPOptions,
        by servers: HTTPSources
    ) {
        guard let name = url.fileName, let folder = Self.url(of: url, isWebDAV: isWebDAV) else { return nil }
        (self.url, self.source, self.http, self.servers) = (folder, source, http, servers)
        sourceName = name
    }

    /// The URL of the folder that contains a source. `nil` if its protocol has no listings: HTTP without WebDAV, and
    /// the sources that clients register.
    static func url(of source: ResourceURL, isWebDAV: Bool) -> ResourceURL? {
        if source.scheme.isHTTP, !isWebDAV { return nil }
        guard source.schemeName != SourceHelpers.registeredScheme, source.fileName != nil else { return nil }
        return source.beside([])
    }

    /// The names of the files in the folder, and with some protocols also the names of its subfolders.
    ///
    /// - Parameter interrupt: ends the wait for the server.
    /// - Returns: `nil` if the helper of the source cannot list folders.
    /// - Throws: as `HTTPSources.fetchWhole`; `sourceNotReadable` for an answer that is not a listing.
    package func names(interrupt: InterruptFlag) throws(EngineError) -> [[UInt8]]? {
        var request = try request(for: url, byteLimit: Self.listingByteLimit)
        request.isListing = url.scheme != .helper
        try servers.network.access.require(url.origin.host, for: url.shown)
        let carrier = try servers.carrier(for: url)
        let fetch = servers.makeFetch(
            http,
            ledBy: source.scope,
            patience: Self.listingPatience,
            interrupt: interrupt
        )
        let (head, body): (TransferHead, [UInt8])
        do throws(EngineError) {
            (head, body) = try fetch.get(request, by: carrier, isUrgent: false)
        } catch {
            if let kind = fetch.refusedByHelper, [.notFound, .notReadable].contains(kind) { return nil }
            throw error
        }
        if case .http(let head) = head, url.scheme.isHTTP, head.status != Self.multistatus {
            // A redirect of a listing is not followed, because it leads to another folder.
            try WholeFetch.require(head.status, request.description)
            throw EngineError(
                .sourceNotReadable,
                "\(request) returned HTTP status \(head.status), not \(Self.multistatus)"
            )
        }
        do throws(FolderListing.Failure) {
            return try names(in: body)
        } catch {
            let code: EngineError.Code = error == .tooMany ? .resourceExhausted : .sourceNotReadable
            throw EngineError(code, "\(request.description): \(error)")
        }
    }

    private func names(in listing: [UInt8]) throws(FolderListing.Failure) -> [[UInt8]] {
        switch url.scheme {
        case .http, .https: try FolderListing.names(inMultistatus: listing, of: url.folderPath ?? [])
        case .sftp, .ftp, .ftps, .ftpes: try FolderListing.names(endedBy: UInt8(ascii: "\n"), in: listing)
        case .helper: try FolderListing.names(endedBy: 0, in: listing)
        }
    }

    /// Fetches a whole file of the folder.
    ///
    /// - Returns: the bytes, never empty.
    /// - Throws: as `HTTPSources.fetchWhole`.
    package func bytes(
        of name: [UInt8],
        byteLimit: Int64,
        interrupt: InterruptFlag
    ) throws(EngineError) -> [UInt8] {
        guard let file = url.beside(name) else {
            throw EngineError(.sourceNotReadable, "the URL of a file in \(url.shown) is too long")
        }
        let request = try request(for: file, byteLimit: byteLimit)
        let carrier = try servers.carrier(for: file)
        let fetch = servers.makeFetch(http, ledBy: source.scope, interrupt: interrupt)
        return try fetch.body(of: request, by: carrier, isUrgent: false)
    }

    private func request(for url: ResourceURL, byteLimit: Int64) throws(EngineError) -> TransferRequest {
        var request = try servers.request(url, http)
        request.byteLimit = byteLimit
        request.encoding = .decoded
        return request
    }
}
