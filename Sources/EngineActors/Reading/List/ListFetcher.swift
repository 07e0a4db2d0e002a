// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Transfers

/// Fetches and decrypts the resources that a playlist names, and caches the most recently used ones for all readers of the
/// source.
///
/// Thread-safety: safe. Fetching blocks.
final class ListFetcher: Sendable {
    private struct State {
        var cache: SegmentCache
        /// By URL.
        var keys: [String: [UInt8]] = [:]
        var bytesRead: UInt64 = 0
        var wait: SourceWait?
    }

    /// The maximum number of cached keys. Live lists change keys often and never reuse old ones.
    private static let keyCountLimit = 64
    /// The maximum length of a key, in bytes.
    private static let keyLimit = 1 << 10

    private let path: String
    private let resources: any ListResources
    private let state: Locked<State>
    /// The throughput of this and all other lists that are measured together.
    let measured: Locked<SegmentThroughput>
    private let observers = WaitObservers()

    /// - Parameters:
    ///   - path: as `ByteSource.path`.
    ///   - held: the resources that are never dropped after they have been fetched.
    ///   - measured: the throughput of another list with which this one is measured. `nil`: it is measured by itself.
    init(
        path: String,
        _ resources: any ListResources,
        cacheByteLimit: Int,
        holding held: Set<ListedResource>,
        measuredWith measured: Locked<SegmentThroughput>? = nil
    ) {
        self.measured = measured ?? Locked(SegmentThroughput())
        self.path = path
        self.resources = resources
        state = Locked(State(cache: SegmentCache(byteLimit: cacheByteLimit, holding: held)))
    }

    /// The number of bytes of fetched resources, after decryption, including repeated fetches, but without keys.
    var bytesRead: UInt64 { state.withLock(\.bytesRead) }

    /// How fast the segments arrive whose durations were passed to `bytes(of:lasting:)`.
    var throughput: SegmentThroughput { measured.withLock { $0 } }

    /// Limits the cache to its full size divided by 2 to the power of `times`.
    func halveCache(_ times: Int) { state.withLock { $0.cache.halve(times) } }

    /// Never drops these resources after they have been fetched.
    func hold(_ resources: [ListedResource]) { state.withLock { $0.cache.hold(resources) } }

    /// The cached plaintext of a resource. `nil` if it has to be fetched.
    func cached(_ resource: ListedResource) -> [UInt8]? { state.withLock { $0.cache.lookUp(resource) } }

    /// The cached plaintext of all these resources, joined. `nil` if there are none, or if one of them has to be fetched.
    func cached(all resources: [ListedResource]) -> [UInt8]? {
        guard !resources.isEmpty else { return nil }
        return state.withLock { state in
            var bytes: [UInt8] = []
            for resource in resources {
                guard let known = state.cache.lookUp(resource) else { return nil }
                bytes += known
            }
            return bytes
        }
    }

    /// Caches the plaintext of a resource that consists of others, which are dropped.
    func replace(_ pieces: [ListedResource], by resource: ListedResource, _ bytes: [UInt8]) {
        state.withLock { state in
            for piece in pieces { state.cache.remove(piece) }
            state.cache.add(bytes, of: resource)
        }
    }

    /// The plaintext of a resource.
    ///
    /// - Parameter duration: how long it plays, if the throughput of its fetch counts.
    func bytes(
        of resource: ListedResource,
        lasting duration: MediaTime? = nil,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> [UInt8] {
        if interrupt.isUp { throw EngineError(.cancelled, "reading \(path) was interrupted") }
        if let known = cached(resource) { return known }
        var end = SourceDelivery.givenUp
        defer { publish(end) }
        var bytes = try timed(lasting: duration) { () throws(EngineError) in
            try fetch(resource, byteLimit: SegmentCache.segmentLimit, interrupt)
        }
        if let cipher = resource.cipher {
            let key = try key(cipher.keyURL, interrupt)
            do throws(CipherError) {
                bytes = try cipher.plaintext(of: bytes, key: key)
            } catch {
                let text = "it cannot be decrypted with the key \(SegmentListSource.shown(cipher.keyURL))"
                throw EngineError(.segmentFailed, text, cause: "\(error)")
            }
        }
        state.withLock { state in
            state.cache.add(bytes, of: resource)
            state.bytesRead += UInt64(bytes.count)
        }
        resources.delivered()
        end = .resumed
        return bytes
    }

    private func timed(
        lasting duration: MediaTime?,
        _ fetch: () throws(EngineError) -> [UInt8]
    ) throws(EngineError) -> [UInt8] {
        guard let duration else { return try fetch() }
        let running = measured.withLock { $0.begin(now: monotonicNanoseconds()) }
        var count = 0
        defer {
            measured.withLock { $0.end(running, bytes: count, lasting: duration, now: monotonicNanoseconds()) }
        }
        let bytes = try fetch()
        count = bytes.count
        return bytes
    }

    /// The key that decrypts samples.
    func sampleKey(_ cipher: SampleCipher, _ interrupt: InterruptFlag) throws(EngineError) -> SampleKey {
        var end = SourceDelivery.givenUp
        defer { publish(end) }
        let key = try SampleKey(cipher, key(cipher.keyURL, interrupt))
        end = .resumed
        return key
    }

    /// The key at a URL.
    private func key(_ url: String, _ interrupt: InterruptFlag) throws(EngineError) -> [UInt8] {
        if DataURL.isOne(url) {
            guard let key = DataURL.bytes(of: url) else {
                throw EngineError(.segmentFailed, "the key in the playlist is not a valid data: URL")
            }
            return key
        }
        if let known = state.withLock({ $0.keys[url] }) { return known }
        do throws(EngineError) {
            let key = try fetch(ListedResource(url: url, as: .key), byteLimit: Self.keyLimit, interrupt)
            state.withLock { state in
                if state.keys.count >= Self.keyCountLimit { state.keys = [:] }
                state.keys[url] = key
            }
            return key
        } catch {
            if error.code == .cancelled { throw error }
            throw EngineError(error.code, "its key cannot be fetched: \(error.message)", cause: error.cause)
        }
    }

    private func fetch(
        _ resource: ListedResource,
        byteLimit: Int,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> [UInt8] {
        try resources.fetch(
            resource,
            byteLimit: byteLimit,
            observer: { [weak self] in self?.publish($0) },
            interrupt: interrupt
        ).bytes
    }

    // MARK: Waits

    /// As `ByteSource.waits`.
    func waits() -> AsyncStream<SourceDelivery> { observers.stream() }

    private func publish(_ delivery: SourceDelivery) {
        let isNew = state.withLock { state in
            defer { state.wait = delivery.wait }
            return state.wait != delivery.wait
        }
        if isNew { observers.notify(delivery) }
    }
}
