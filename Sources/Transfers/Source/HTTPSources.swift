// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime

/// The sources on servers that are in use, one for each URL and set of options. All readers of a source share the
/// fetched bytes, and one transfer thread serves all sources.
///
/// Thread-safety: safe. `open` blocks.
package final class HTTPSources: Sendable {
    /// The request length for resources that are read as a whole.
    package static let wholeByteCount: Int64 = 32 << 20
    package let network: NetworkSettings
    let loop: TransferLoop
    private let relay: NetworkRelay
    private let tally = TrafficTally()
    private let cache: SourceCache
    private let credentials: CredentialFile?
    /// The memory for each source whose server does not support ranges, in bytes.
    package let windowByteLimit: Int
    /// The place where live streams keep the bytes that do not fit into memory. If `nil`, they are dropped.
    package let spool: SpoolSettings?
    /// The helpers that read sources of other schemes.
    package let helpers: SourceHelpers
    private let excludedPorts = Locked<Set<Int>>([])

    /// - Parameters:
    ///   - defaults: the values of options that a source does not set.
    ///   - secureShell: the settings for SFTP.
    ///   - credentialFile: the path of a file with the passwords of servers; `nil` if there is none.
    ///   - windowByteLimit: the memory for each source whose server does not support ranges.
    ///   - spool: where live streams keep the bytes that do not fit into memory; if `nil`, they are dropped.
    ///   - disk: keeps fetched bytes for later sources and processes; `nil` keeps them in memory only.
    ///   - helpers: read sources of schemes that the engine does not know.
    package init(
        _ access: NetworkAccess,
        defaults: HTTPConnectionOptions = HTTPConnectionOptions(),
        secureShell: SecureShellSettings = SecureShellSettings(),
        credentialFile: String? = nil,
        windowByteLimit: Int = 256 << 20,
        spool: SpoolSettings? = nil,
        disk: DiskCache? = nil,
        helpers: SourceHelpers = SourceHelpers()
    ) {
        self.helpers = helpers
        network = NetworkSettings(access: access, connection: defaults, secureShell: secureShell)
        let relay = NetworkRelay()
        self.relay = relay
        loop = TransferLoop { relay.receive($0) }
        cache = SourceCache(disk)
        credentials = credentialFile.map { CredentialFile(path: $0) }
        self.windowByteLimit = windowByteLimit
        self.spool = spool
    }

    /// Excludes the ports on which the engine itself listens: from now on, sources never connect to them on an
    /// address of this machine.
    package func exclude(ownPorts: Set<Int>) { excludedPorts.withLock { $0 = ownPorts } }

    /// The ports on which the engine itself listens.
    var ownPorts: Set<Int> { excludedPorts.withLock { $0 } }

    /// Opens the resource at a URL. If its server does not support ranges, the result is a growing source. A file on a
    /// share that is still being written has its present length, unless `follows` is set and another caller follows the
    /// file.
    ///
    /// - Parameters:
    ///   - expected: the ranges that are probably read first. They are requested together, before anything is known
    ///     about the resource, which may end before them.
    ///   - follows: whether the source may be one that another caller follows.
    ///   - quiet: once nothing has been written to a file for this long, it has ended.
    ///   - intake: makes the intake that joins the connections of a live stream.
    ///   - interrupt: ends the wait for the server.
    ///   - onSource: called with a source before its first byte is waited for.
    package func open(
        _ url: ResourceURL,
        _ http: HTTPOptions,
        expected: [Range<Int64>] = [],
        follows: Bool = false,
        quiet: Duration = .zero,
        intake: (@Sendable () -> any StreamIntake)? = nil,
        interrupt: InterruptFlag,
        onSource: (HTTPSource) -> Void = { _ in }
    ) throws(EngineError) -> HTTPSource {
        let isRegistered = url.schemeName == SourceHelpers.registeredScheme
        let access = access(to: url)
        try access.require(url.origin.host, for: url.shown)
        let key = SourceCache.Key(url, http)
        if follows, let growing = cache.growing(key) { return growing }
        if let shared = cache.fresh(key) { return shared }
        var configuration = configuration(for: try request(url, http), http)
        configuration.intake = intake
        configuration.access = access
        let carrier = try carrier(for: url)
        func make() -> HTTPSource { cache.makeSource(configuration, by: carrier, isOnDisk: !isRegistered) }
        // Each caller of a share examines the file itself, because it may be one that is being written.
        let source = url.scheme.isHTTP ? cache.open(key, make) : make()
        defer { cache.endOpening(source) }
        onSource(source)
        try Self.begin(source, expected, interrupt)
        if !url.scheme.isHTTP {
            let scope = source.scope
            source.record(quiet: quiet) { [self] interrupt in
                makeFetch(http, access: access, ledBy: scope, interrupt: interrupt)
            }
        }
        return cache.add(opened: source, as: key)
    }

    /// Follows a file that is still being written: from now on, reads at the end of the source wait for more.
    ///
    /// - Parameter source: opened from `url` with the options `http`, and not used by another caller. Only a file
    ///   that is still being written is followed; any other source is returned unchanged.
    /// - Returns: the source, or one that another caller has followed in the meantime.
    package func follow(_ source: HTTPSource, at url: ResourceURL, _ http: HTTPOptions) -> HTTPSource {
        cache.follow(source, as: SourceCache.Key(url, http))
    }

    /// A small resource that an open source names, such as a segment in a playlist. Concurrent readers share it, and it
    /// is released with the last of them. Nothing is fetched before the first read.
    ///
    /// The resource uses the cookies of `leader`. The header fields and credentials of `leader` are sent only to its
    /// own origin. An address of a narrower scope than that of `leader` is refused, and any other server if the
    /// protocol is not HTTP: an SFTP server would be offered the user's keys, and the addresses to which helpers
    /// connect are not checked.
    ///
    /// - Parameters:
    ///   - url: an absolute URL.
    ///   - object: what the next requests for it are for.
    ///   - isWhole: whether the whole resource will be read, so that one request suffices.
    ///   - isNew: whether to ignore what other readers have fetched, because the resource may have changed.
    ///   - retries: whether failed requests are repeated. If not, the caller repeats them.
    ///   - delivers: as for `RetryPolicy`.
    ///   - patience: a silence of this length ends a request. `nil`: as for any other source.
    package func resource(
        _ url: String,
        namedBy leader: HTTPSource,
        _ http: HTTPOptions,
        as object: RequestedObject,
        isWhole: Bool,
        isNew: Bool = false,
        retries: Bool = true,
        delivers: Bool = false,
        patience: Duration? = nil
    ) throws(EngineError) -> HTTPSource {
        let current = leader.currentRequest
        let named = try Self.location(url, namedBy: leader)
        try network.access.require(named.origin.host, for: named.shown)
        var route = RedirectPolicy(current.url)
        do throws(RedirectPolicy.Refusal) {
            try route.go(to: named)
        } catch {
            throw EngineError(SourceFailure(.redirect(error), "named by \(leader.path)"), named.shown)
        }
        guard named.scheme.isHTTP || named.origin == current.url.origin else {
            let text = "\(leader.path) names \(named.shown), which is on another server"
            throw EngineError(.sourceNotReadable, text)
        }
        let key = SourceCache.Key(named, http)
        if !isNew, let shared = cache.fresh(key), shared.scope >= leader.scope {
            shared.describe(object)
            return shared
        }
        var configuration = configuration(for: route.request(current), http)
        configuration.object = object
        configuration.request.range = .whole
        configuration.request.validator = nil
        configuration.leadingScope = leader.scope
        if isWhole {
            configuration.fetches.smallest = Self.wholeByteCount
            configuration.fetches.largest = Self.wholeByteCount
            configuration.fetches.parts = 1
        }
        if !retries { configuration.retries = .none }
        configuration.delivers = delivers
        if let patience {
            configuration.stallLimits.stall = min(
                configuration.stallLimits.stall,
                Int64(patience / .nanoseconds(1))
            )
        }
        let carrier = try carrier(for: named)
        let source = cache.makeSource(configuration, by: carrier, isOnDisk: false, namedBy: leader)
        if !isNew { cache.add(named: source, as: key) }
        return source
    }

    private static func location(_ url: String, namedBy leader: HTTPSource) throws(EngineError) -> ResourceURL {
        let base = leader.currentRequest.url
        guard base.schemeName != SourceHelpers.registeredScheme else {
            let text = "\(leader.path) names other resources, but a registered source has none"
            throw EngineError(.sourceNotReadable, text)
        }
        do throws(ResourceURL.Failure) {
            return base.scheme == .helper ? try base.helperURL(named: url) : try ResourceURL(url)
        } catch {
            let problem =
                switch error {
                case .scheme(let scheme): "a URL with the scheme \(scheme), which a playlist from a server may not name"
                case .malformed: "a malformed URL"
                }
            throw EngineError(.sourceNotReadable, "\(leader.path) names \(problem)")
        }
    }

    /// From now on, fetches an open source from another URL or with other options, for all its readers. First asks the
    /// server whether it delivers the same resource; a server that cannot be reached or is overloaded is taken to do
    /// so. If this throws, the source stays as it was. Blocks.
    ///
    /// - Parameters:
    ///   - text: the URL as the client wrote it.
    ///   - comparesVersion: whether the resource must be the version that the source has.
    ///   - interrupt: ends the wait for the server. Once it has been raised, nothing is changed.
    /// - Throws: the errors of `checkRefresh`; `sourceChanged` if the resource is another one, or the source has failed
    ///   because of that before; the error of a source that its server refuses, e.g. `sourceRefused`; `cancelled` after
    ///   an interrupt.
    package func refresh(
        _ source: HTTPSource,
        from url: ResourceURL,
        writtenAs text: String,
        _ http: HTTPOptions,
        comparesVersion: Bool = true,
        interrupt: InterruptFlag
    ) throws(EngineError) {
        try checkRefresh(from: source.currentRequest.url, to: url)
        // A registered source is read through its own connection, which no URL replaces.
        guard url.schemeName != SourceHelpers.registeredScheme else { throw .otherHelper }
        if comparesVersion { try source.requireUnchanged() }
        var configuration = configuration(for: try request(url, http), http)
        configuration.refreshed = SourceAddress(text, http)
        // Many servers end the connection of a live stream when a second one begins.
        if source.isSeekable || source.state.byteCount != nil {
            let examination = SourceExamination(
                of: source,
                configuration,
                comparesVersion: comparesVersion,
                interrupt
            )
            try examination.run(by: try carrier(for: url))
        }
        // The source may have noticed a change in the meantime.
        if comparesVersion { try source.requireUnchanged() }
        if interrupt.isUp { throw EngineError(.cancelled, "the refresh from \(url.shown) was cancelled") }
        source.refresh(configuration)
        cache.move(source, to: SourceCache.Key(url, http))
    }

    /// Checks whether a source may be fetched from another URL from now on.
    ///
    /// - Throws: `invalidArgument` for a URL of another protocol or helper; `sourceAccessDenied`.
    package func checkRefresh(from old: ResourceURL, to new: ResourceURL) throws(EngineError) {
        try network.access.require(new.origin.host, for: new.shown)
        guard new.scheme == old.scheme || new.scheme.isHTTP && old.scheme.isHTTP else {
            throw .invalid("url", "has another protocol than the source, which is read by \(old.schemeName)")
        }
        guard new.scheme != .helper || new.schemeName == old.schemeName else { throw .otherHelper }
    }

    /// The hosts that may be accessed to read a URL. A registered source is read from its client, not over the network.
    func access(to url: ResourceURL) -> NetworkAccess {
        url.schemeName == SourceHelpers.registeredScheme ? .on : network.access
    }

    /// The carrier of the requests for a URL: the helper that reads its scheme, or the transfer loop.
    func carrier(for url: ResourceURL) throws(EngineError) -> any TransferCarrier {
        try helpers.carrier(for: url) ?? loop
    }

    /// The request for a whole source.
    func request(_ url: ResourceURL, _ http: HTTPOptions) throws(EngineError) -> TransferRequest {
        let connection = http.connection.completed(by: network.connection)
        var request = TransferRequest(url, byteLimit: .max)
        request.headers = http.headers
        request.credentials = http.connection.credentials
        if case .bearer = request.credentials, !url.scheme.isHTTP {
            throw .invalid("http_connection.bearer_token", "is for HTTP, not for \(url.scheme.rawValue)")
        }
        if request.credentials == nil { request.credentials = try credentials(of: url) }
        request.settings = ConnectionSettings(connection)
        request.settings.secureShell = network.secureShell
        // Each opened source has its own cookies, and shares them with the resources that it names.
        request.cookies = CookieJar()
        return request
    }

    /// The credentials of a URL; if it has no password, those of the credential file.
    func credentials(of url: ResourceURL) throws(EngineError) -> HTTPCredentials? {
        if case .basic(_, let password) = url.credentials, !password.isEmpty { return url.credentials }
        let found = try credentials?.credentials(for: url)
        return found ?? url.credentials
    }

    private func configuration(for request: TransferRequest, _ http: HTTPOptions) -> HTTPSourceConfiguration {
        var configuration = HTTPSourceConfiguration(request)
        configuration.access = network.access
        if let limit = http.connection.completed(by: network.connection).stallTimeout {
            configuration.stallLimits = .proportional(to: limit)
        }
        configuration.ownPorts = ownPorts
        configuration.tally = tally
        configuration.windowByteLimit = windowByteLimit
        configuration.spool = spool
        configuration.cmcd = http.connection.cmcd
        configuration.adapt(to: request.url.scheme)
        return configuration
    }

    /// Reads the first byte, because the response describes the resource.
    private static func begin(
        _ source: HTTPSource,
        _ expected: [Range<Int64>],
        _ interrupt: InterruptFlag
    ) throws(EngineError) {
        let cursor = source.cursor(interrupt)
        if !expected.isEmpty { cursor.expect(expected) }
        let first = try [UInt8](upTo: 1) { output throws(EngineError) in _ = try cursor.read(at: 0, into: &output) }
        if first.isEmpty { throw EngineError(.sourceEmpty, "\(source.path) is empty") }
    }

    /// The requests, retries, bytes and cache hits of all sources so far, including those that were released.
    package var traffic: SourceTraffic { tally.total }

    /// Sets the limit of the memory cache to its full size halved `times` times.
    package func halveCache(_ times: Int) { cache.halve(times) }

    /// The cached bytes of sources that are in use, were recently opened, or are on disk.
    package var cacheReport: SourceCacheReport { cache.report }

    /// Removes a source, or all of them (`nil`), from memory and disk. A source in use is fetched again when it is
    /// read.
    ///
    /// - Parameter url: a URL as in `cacheReport`.
    package func clearCache(of url: String?) async -> SourceCacheClearing { await cache.clear(url) }

    /// Ends the pauses between attempts, e.g. because the network is back.
    package func retryNow() {
        for source in cache.sources { source.retryNow() }
    }

    /// Calls `notify`, which must not block, whenever links or routes of this machine change. Sources retry at once
    /// when servers may be reachable again.
    package func followNetwork(_ notify: @escaping @Sendable (NetworkChange) -> Void) {
        relay.follow { [weak self] change in
            if change.isReturn { self?.retryNow() }
            notify(change)
        }
    }
}

extension EngineError {
    fileprivate static var otherHelper: EngineError { .invalid("url", "cannot be read by the helper of the source") }
}

extension HTTPSource {
    /// - Throws: `sourceChanged` if the source has failed because its resource has changed, which is final.
    fileprivate func requireUnchanged() throws(EngineError) {
        guard let failure, failure.kind == .changed else { return }
        let text = "\(path) was changed while it was in use: it can be loaded again, but not be continued"
        throw EngineError(.sourceChanged, text, cause: failure.detail)
    }
}

/// Passes on changes of the network. Holds back early changes until `follow` is called.
private final class NetworkRelay: Sendable {
    private struct State {
        var early: [NetworkChange] = []
        var notify: (@Sendable (NetworkChange) -> Void)?
    }

    private let state = Locked(State())

    func receive(_ change: NetworkChange) {
        let notify = state.withLock { state in
            if state.notify == nil { state.early.append(change) }
            return state.notify
        }
        notify?(change)
    }

    func follow(_ notify: @escaping @Sendable (NetworkChange) -> Void) {
        let early = state.withLock { state in
            defer { state.early = [] }
            state.notify = notify
            return state.early
        }
        for change in early { notify(change) }
    }
}
