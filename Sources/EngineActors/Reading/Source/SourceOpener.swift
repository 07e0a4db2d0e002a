// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime
package import Packaging
package import Transfers

extension TransportIntake: StreamIntake {}

/// Opens sources by the names that clients give: an absolute path, a `file:` URL, a URL of a server (`ServerScheme`), a
/// URL whose scheme has a helper (docs/sources.md), or a `FeedAddress`.
///
/// Thread-safety: safe.
package struct SourceOpener: Sendable {
    /// The default number of bytes of a feed that are kept in memory.
    private static let windowByteLimit = 256 << 20

    private let servers: HTTPSources?
    /// A file that has not been written to for this long has ended.
    private let quiet: Duration
    /// No source is opened before this time.
    private let opensAt: ContinuousClock.Instant
    private let feeds = OpenFeeds()
    private let listCaches = ListCaches()
    /// The servers that may be accessed, and the settings for access.
    private let network: NetworkSettings
    /// The measured loudness of tracks.
    package let loudness: LoudnessStore

    /// - Parameters:
    ///   - servers: the sources on servers, which all openers of an engine share. `nil`: sources on servers are
    ///     refused.
    ///   - quiet: a file that has not been written to for this long has ended. Zero: no file is followed while it
    ///     grows.
    ///   - pause: how long every source waits from now on.
    ///   - loudness: the measured loudness of tracks.
    package init(
        servers: HTTPSources? = nil,
        quiet: Duration = .zero,
        pause: Duration = .zero,
        loudness: LoudnessStore = LoudnessStore(directory: nil)
    ) {
        self.servers = servers
        self.quiet = quiet
        opensAt = .now + pause
        self.loudness = loudness
        network = servers?.network ?? NetworkSettings(access: .off)
    }

    /// The requests, retries, bytes and cache hits of all sources on servers so far.
    package var traffic: SourceTraffic { servers?.traffic ?? SourceTraffic() }

    /// Limits the caches of data from servers and of lists to their full sizes, halved `times` times.
    package func halveCaches(_ times: Int) {
        servers?.halveCache(times)
        listCaches.halve(times)
    }

    /// The contents of the cache, by source.
    package var cacheReport: SourceCacheReport {
        servers?.cacheReport ?? SourceCacheReport(memory: SourceCacheReport.Store(byteCount: 0, byteLimit: 0))
    }

    /// Removes one source from the cache, or all sources.
    ///
    /// - Parameter source: a URL, whose user name, password and query are ignored. `nil`: all sources.
    package func clearCache(of source: String?) async throws(EngineError) -> SourceCacheClearing {
        let url = try source.map { text throws(EngineError) in try Self.resource(text, field: "source").shown }
        return await servers?.clearCache(of: url) ?? SourceCacheClearing(sources: 0, byteCount: 0)
    }

    /// Calls `notify`, which must not block, whenever links or routes of this machine change.
    package func followNetwork(_ notify: @escaping @Sendable (NetworkChange) -> Void) { servers?.followNetwork(notify) }

    /// Forbids connections to these ports of this machine, on which the engine itself listens.
    package func exclude(ownPorts: Set<Int>) { servers?.exclude(ownPorts: ownPorts) }

    /// Opens a source. Blocks the calling thread: only for actors with a thread of their own.
    ///
    /// - Parameters:
    ///   - follows: whether to follow a file that is still being written until it ends. Otherwise its present length is
    ///     final.
    ///   - noted: how many segments of the source an earlier process noted as announced; 0 if there was no such
    ///     process. In a list that slides, segments are numbered after those that the earlier process may have
    ///     announced.
    ///   - options: choose the variant of a presentation, and the title of a disc.
    ///   - interrupt: ends the wait for a server or for the first byte of a feed.
    ///   - onSource: called with a new source on a server, or a new feed, before its first byte is waited for.
    package func open(
        _ source: String,
        _ http: HTTPOptions = HTTPOptions(),
        follows: Bool = false,
        after noted: Int = 0,
        options: LoadOptions = LoadOptions(),
        interrupt: InterruptFlag,
        onSource: (any ByteSource) -> Void = { _ in }
    ) throws(EngineError) -> any ByteSource {
        let rest = ContinuousClock.now.duration(to: opensAt)
        if rest > .zero {
            interrupt.wait(atMost: Int64(rest / .nanoseconds(1)))
            if interrupt.isUp { throw EngineError(.cancelled, "opening \(Self.shown(source)) was cancelled") }
        }
        FaultPoint.opening.reach(source)
        if FeedAddress.isOne(source) {
            if let open = feeds.source(source) { return open }
            let found = try FeedAddress(source).open(
                source,
                network,
                windowByteLimit: servers?.windowByteLimit ?? Self.windowByteLimit,
                spool: servers?.spool,
                interrupt: interrupt,
                onSource: onSource
            )
            feeds.add(found, as: source)
            return found
        }
        guard Self.isURL(source) else {
            let discs = DiscOpener(choice: TitleChoice(options))
            if let disc = try SourceFile.folder(source).map({ folder throws(EngineError) in
                try discs.open(folder: folder, interrupt)
            }), let disc {
                return disc
            }
            let file = try SourceFile.open(source)
            if let disc = try discs.open(image: file, interrupt) { return disc }
            let playlist = PlaylistOpener(
                file,
                FolderResources(of: file.name),
                caches: listCaches,
                url: file.name.fileURL,
                options
            )
            if let list = try playlist.open(after: noted, interrupt) { return list }
            if follows, let growing = try GrowingFile(file, quiet: quiet) { return try Self.ending(growing, interrupt) }
            if let parts = try PartsOpener(file, caches: listCaches).open(interrupt) { return parts }
            return try Self.ending(file, interrupt)
        }
        let url = try Self.resource(source, field: "source")
        guard !Self.isFolder(url, spelled: source) else {
            throw EngineError(.sourceNotReadable, "\(url.shown) is a folder")
        }
        guard let servers else { throw .opensOnlyFiles(url) }
        var begun: HTTPSource?
        let found: HTTPSource
        do throws(EngineError) {
            found = try servers.open(
                url,
                http,
                expected: DiscOpener.expectedReads(of: url),
                follows: follows,
                quiet: quiet,
                intake: { TransportIntake() },
                interrupt: interrupt,
                onSource: {
                    begun = $0
                    onSource($0)
                }
            )
        } catch {
            guard let begun, begun.isEncoded,
                let list = try encodedList(begun, servers, http, after: noted, options, interrupt)
            else { throw error }
            return list
        }
        if let disc = try DiscOpener(choice: TitleChoice(options)).open(image: found, interrupt) { return disc }
        let resources = ServedResources(servers, namedBy: found, http)
        let address = found.currentRequest.url.base
        let playlist = PlaylistOpener(found, resources, caches: listCaches, url: address, options)
        if let list = try playlist.open(after: noted, interrupt) { return list }
        return try Self.ending(follows ? servers.follow(found, at: url, http) : found, interrupt)
    }

    /// The source. A stored transport stream ends where its video continues in another codec.
    private static func ending(
        _ source: any ByteSource,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> any ByteSource {
        try TransportFile(source, interrupt) ?? source
    }

    /// The list of a playlist that its server encodes although it was asked not to. `nil` for any other resource, and for a
    /// playlist that is longer than `HLSLimits.bytes`.
    private func encodedList(
        _ source: HTTPSource,
        _ servers: HTTPSources,
        _ http: HTTPOptions,
        after noted: Int,
        _ options: LoadOptions,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> SegmentListSource? {
        let bytes: [UInt8]
        do throws(EngineError) {
            bytes = try servers.fetchDecoded(source, byteLimit: HLSLimits.bytes, interrupt: interrupt)
        } catch {
            if error.code == .cancelled { throw error }
            return nil
        }
        let playlist = PlaylistOpener(
            source,
            decoded: bytes,
            ServedResources(servers, namedBy: source, http),
            caches: listCaches,
            url: source.currentRequest.url.base,
            options
        )
        return try playlist.open(after: noted, interrupt)
    }

    /// Fetches a whole small file from a server, or from a helper (see `HTTPSources.fetchWhole`). Blocks.
    ///
    /// - Parameter source: the source for whose server the login in `http` is meant; it may be a local one.
    package func fetchWhole(
        _ text: String,
        _ http: HTTPOptions,
        meantFor source: String,
        byteLimit: Int64,
        interrupt: InterruptFlag
    ) throws(EngineError) -> [UInt8] {
        let url = try Self.resource(text, field: "path")
        guard !Self.isFolder(url, spelled: text) else {
            throw EngineError(.sourceNotReadable, "\(url.shown) is a folder")
        }
        guard let servers else { throw .opensOnlyFiles(url) }
        return try servers.fetchWhole(
            url,
            http,
            meantFor: Self.namesServer(source) ? try Self.resource(source, field: "source") : nil,
            byteLimit: byteLimit,
            interrupt: interrupt
        )
    }

    /// The folder of an open source on a server. `nil` for other sources, and if the protocol has no listings.
    ///
    /// - Parameters:
    ///   - name: the URL with which the source was opened or refreshed.
    ///   - http: the options with which it was opened or refreshed.
    package func folder(of source: any ByteSource, named name: String, _ http: HTTPOptions) -> ServedFolder? {
        guard let servers, Self.isURL(name), let server = (source.layout.image ?? source) as? HTTPSource else {
            return nil
        }
        let url: ResourceURL
        do throws(ResourceURL.Failure) { url = try ResourceURL(ofSource: name) } catch {
            // No source on a server was opened with this URL.
            return nil
        }
        return SourceFolder(of: server, at: url, isWebDAV: ServerScheme.isWebDAV(name), http, by: servers)
            .map { ServedFolder($0) }
    }

    /// Registers a source that a client provides. It can be opened once the client has presented its ticket.
    ///
    /// - Throws: `resourceExhausted` if too many sources are registered; `unavailable` if the engine opens only files.
    package func registerClientSource() throws(EngineError) -> SourceHandover {
        guard let servers else { throw EngineError(.unavailable, "this engine opens only files") }
        return try SourceHandover(in: servers.helpers)
    }

    /// Opens a source with the default load options, for callers that must not block. Each call has its own thread, so
    /// that a slow file system or server delays no other call.
    package func openWithoutBlocking(
        _ source: String,
        _ http: HTTPOptions,
        interrupt: InterruptFlag
    ) async throws(EngineError) -> any ByteSource {
        try await Worker().open(source, http, by: self, interrupt)
    }

    private actor Worker {
        private let executor = ThreadExecutor(name: "open")

        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

        func open(
            _ source: String,
            _ http: HTTPOptions,
            by opener: SourceOpener,
            _ interrupt: InterruptFlag
        ) throws(EngineError) -> any ByteSource {
            try opener.open(source, http, interrupt: interrupt)
        }

        func refresh(
            _ source: any ByteSource,
            from url: String,
            _ http: HTTPOptions,
            by opener: SourceOpener,
            _ interrupt: InterruptFlag
        ) throws(EngineError) {
            try opener.refresh(source, from: url, http, interrupt)
        }
    }

    /// Continues an open source from another URL or with other HTTP options, for callers that must not block. The work
    /// may block, because it asks the server first and may read passwords from a file.
    ///
    /// - Parameter interrupt: ends the wait for the server.
    /// - Throws: as `HTTPSources.refresh`; `invalidArgument` for a file. If it throws, the source has not changed.
    package func refreshWithoutBlocking(
        _ source: any ByteSource,
        from url: String,
        _ http: HTTPOptions,
        interrupt: InterruptFlag
    ) async throws(EngineError) {
        try await Worker().refresh(source, from: url, http, by: self, interrupt)
    }

    /// Applies the latest refresh to a source with listed segments. Call this if another source that is fetched by the
    /// same requests was refreshed, or if this source was refreshed while it was being opened. No effect on other kinds
    /// of sources, or before the first refresh.
    package func followRefresh(_ source: any ByteSource) {
        guard let address = Self.server(of: source)?.refreshed, let segments = source.layout.segments else { return }
        (segments.resources as? ServedResources)?.follow(address.http)
        segments.refresh()
    }

    /// The URL and options from the latest refresh of a source: the same for all sources that are fetched by the same
    /// requests. `nil` before the first refresh.
    package func refreshed(_ source: any ByteSource) -> SourceAddress? { Self.server(of: source)?.refreshed }

    /// The object that a refresh of a source changes. It is the same one for all sources that are fetched by the same
    /// requests. `nil` for a source that cannot be refreshed.
    package func refreshTarget(of source: any ByteSource) -> (any AnyObject & Sendable)? { Self.server(of: source) }

    /// The source on a server whose requests a refresh replaces. `nil` if there is none.
    private static func server(of source: any ByteSource) -> HTTPSource? {
        if let segments = source.layout.segments { return (segments.resources as? ServedResources)?.leader }
        return (source.layout.image ?? source) as? HTTPSource
    }

    /// Checks whether a source that could not be opened may be opened from `url` instead.
    ///
    /// - Throws: `invalidArgument` for a file, an invalid URL, or another protocol or helper; `sourceAccessDenied` if
    ///   the engine may not access the server of `url`.
    package func checkRefresh(of source: String, from url: String) throws(EngineError) {
        guard Self.isURL(source) else { throw .cannotBeRefreshed(source) }
        let old = try Self.resource(source, field: "session_id")
        let new = try Self.resource(url, field: "url")
        guard let servers else { throw .opensOnlyFiles(new) }
        try servers.checkRefresh(from: old, to: new)
    }

    private func refresh(
        _ source: any ByteSource,
        from url: String,
        _ http: HTTPOptions,
        _ interrupt: InterruptFlag
    ) throws(EngineError) {
        if let segments = source.layout.segments, let resources = segments.resources as? ServedResources {
            let new = try Self.resource(url, field: "url")
            try resources.refresh(from: new, writtenAs: url, http, interrupt: interrupt)
            return segments.refresh()
        }
        let source = source.layout.image ?? source
        guard let source = source as? HTTPSource, let servers else {
            throw .cannotBeRefreshed(source.path)
        }
        let new = try Self.resource(url, field: "url")
        try servers.refresh(source, from: new, writtenAs: url, http, interrupt: interrupt)
    }

    private static func resource(_ url: String, field: String) throws(EngineError) -> ResourceURL {
        do throws(ResourceURL.Failure) {
            return try ResourceURL(ofSource: url)
        } catch {
            throw .invalid(field, "is not a valid URL of a server")
        }
    }

    /// Whether a URL names a folder on a server, whose bytes would be its listing.
    ///
    /// The URL of a helper's source may have no path. libcurl then adds a slash, which does not mean a folder.
    ///
    /// - Parameter source: the URL as the client gave it.
    private static func isFolder(_ url: ResourceURL, spelled source: String) -> Bool {
        guard !url.scheme.isHTTP, url.schemeName != SourceHelpers.registeredScheme, url.path.hasSuffix("/") else {
            return false
        }
        return url.scheme != .helper || source.utf8.prefix { !"?#".utf8.contains($0) }.last == UInt8(ascii: "/")
    }

    /// Whether a source names a resource on a server, or one that a helper reads.
    package static func isURL(_ source: String) -> Bool {
        guard let scheme = scheme(of: source) else { return false }
        return scheme != "file" && !FeedAddress.isOne(source)
    }

    /// Whether a source is a stream that is sent to the engine. It can be received only once.
    package static func isFeed(_ source: String) -> Bool { FeedAddress.isOne(source) }

    /// Whether a text is a valid URL of a resource on a server, or of one that a helper reads.
    package static func namesServer(_ text: String) -> Bool {
        guard isURL(text) else { return false }
        do throws(ResourceURL.Failure) { _ = try ResourceURL(ofSource: text) } catch { return false }
        return true
    }

    /// The scheme of a URL with an authority (RFC 3986 §3.1), in lower case.
    private static func scheme(of source: String) -> String? {
        guard let end = source.prefix(Self.longestScheme + 3).firstRange(of: "://") else { return nil }
        let scheme = source[..<end.lowerBound].lowercased()
        let isScheme = scheme.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte)
        }
        let beginsWithLetter = scheme.utf8.first.map { (0x61...0x7A).contains($0) } ?? false
        return isScheme && beginsWithLetter ? scheme : nil
    }

    private static let longestScheme = 32

    /// The name of a source for messages and clients: a URL without user name and password, and without its query
    /// unless it is a valid SFTP or FTP URL, where a question mark is part of the file's name.
    package static func shown(_ source: String) -> String {
        guard isURL(source) else { return ShownURL.text(of: source) }
        do throws(ResourceURL.Failure) {
            return try ResourceURL(ofSource: source).shown
        } catch {
            return ShownURL.text(of: source)
        }
    }
}

extension EngineError {
    fileprivate static func opensOnlyFiles(_ url: ResourceURL) -> EngineError {
        EngineError(.sourceAccessDenied, "\(url.shown) was not fetched: this engine opens only files")
    }

    fileprivate static func cannotBeRefreshed(_ path: String) -> EngineError {
        EngineError(.invalidArgument, "\(path) is not on a server and cannot be refreshed", field: "session_id")
    }
}
