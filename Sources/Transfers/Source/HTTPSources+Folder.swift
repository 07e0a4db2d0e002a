// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime

/// The folder of an open source, and other files in it. They are requested as the source was, with its credentials,
/// header fields and settings, and no address may have a narrower scope than the source's. Each request is sent once,
/// and waits for those of the sources of its server.
extension HTTPSources {
    /// The time limit for listing a folder.
    private static let listingPatience = Duration.seconds(15)
    /// The size limit of a listing, in bytes. Helpers of this project list at most 8 MiB of names.
    private static let listingByteLimit: Int64 = 16 << 20

    /// The URL of the folder that contains a source. `nil` if its protocol has no listings: HTTP without WebDAV, and the
    /// sources that clients register.
    ///
    /// - Parameter isWebDAV: whether a server of HTTP is one of WebDAV.
    package static func folder(of url: ResourceURL, isWebDAV: Bool) -> ResourceURL? {
        if url.scheme.isHTTP, !isWebDAV { return nil }
        guard url.schemeName != SourceHelpers.registeredScheme, url.fileName != nil else { return nil }
        return url.beside([])
    }

    /// The names of the files in a folder, and with some protocols also those of its folders. Blocks.
    ///
    /// - Parameters:
    ///   - folder: as in `folder(of:isWebDAV:)`.
    ///   - source: a source in this folder, with the options `http`.
    ///   - interrupt: ends the wait for the server.
    /// - Returns: `nil` if the helper of the source knows no folders.
    /// - Throws: as `fetchWhole`; `sourceNotReadable` for an answer that is not a listing.
    package func names(
        in folder: ResourceURL,
        of source: HTTPSource,
        _ http: HTTPOptions,
        interrupt: InterruptFlag
    ) throws(EngineError) -> [[UInt8]]? {
        let fetch = makeFetch(http, ledBy: source.scope, patience: Self.listingPatience, interrupt: interrupt)
        var request = try request(folder, http)
        request.byteLimit = Self.listingByteLimit
        request.encoding = .decoded
        request.isListing = folder.scheme != .helper
        try network.access.require(folder.origin.host, for: folder.shown)
        let carrier = try helpers.carrier(for: folder) ?? loop
        let (head, body): (TransferHead, [UInt8])
        do throws(EngineError) {
            (head, body) = try fetch.get(request, by: carrier, isUrgent: false)
        } catch {
            if let kind = fetch.refusedByHelper, [.notFound, .notReadable].contains(kind) { return nil }
            throw error
        }
        if case .http(let head) = head, folder.scheme.isHTTP, head.status != Self.multistatus {
            throw Self.refusal(head.status, request.description)
        }
        do throws(FolderListing.Failure) {
            return try Self.names(in: body, of: folder)
        } catch {
            let code: EngineError.Code = error == .tooMany ? .resourceExhausted : .sourceNotReadable
            throw EngineError(code, "\(request.description): \(error)")
        }
    }

    private static func names(in listing: [UInt8], of folder: ResourceURL) throws(FolderListing.Failure) -> [[UInt8]] {
        switch folder.scheme {
        case .http, .https: try FolderListing.names(inMultistatus: listing, of: folder.folderPath ?? [])
        case .sftp, .ftp, .ftps, .ftpes: try FolderListing.names(endedBy: UInt8(ascii: "\n"), in: listing)
        case .helper: try FolderListing.names(endedBy: 0, in: listing)
        }
    }

    /// Fetches a whole file beside a source. Blocks.
    ///
    /// - Parameters:
    ///   - url: of a file in the folder of `source`.
    ///   - source: was opened with the options `http`.
    /// - Returns: the bytes, never empty.
    /// - Throws: as `fetchWhole`.
    package func fetchWhole(
        _ url: ResourceURL,
        beside source: HTTPSource,
        _ http: HTTPOptions,
        byteLimit: Int64,
        interrupt: InterruptFlag
    ) throws(EngineError) -> [UInt8] {
        var request = try request(url, http)
        request.byteLimit = byteLimit
        request.encoding = .decoded
        let carrier = try helpers.carrier(for: url) ?? loop
        let fetch = makeFetch(http, ledBy: source.scope, interrupt: interrupt)
        return try whole(request, by: fetch, on: carrier, isUrgent: false)
    }

    /// The status of an answer with several statuses (RFC 4918 §11.1).
    private static let multistatus = 207

    /// A redirect of a listing is not followed, because it leads to another folder.
    private static func refusal(_ status: Int, _ request: String) -> EngineError {
        do throws(EngineError) {
            try require(status, request)
        } catch {
            return error
        }
        return EngineError(.sourceNotReadable, "\(request) returned HTTP status \(status), not \(multistatus)")
    }
}
