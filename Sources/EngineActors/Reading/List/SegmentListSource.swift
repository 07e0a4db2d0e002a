// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime
package import Packaging

/// A source that is a list of segments, each of which is a container of its own, such as an HLS presentation.
///
/// As a `ByteSource` it is a sparse file in which each segment has a place of its own (`ListPlace`). `SourceReader` reads its
/// packets, segment by segment. What was fetched last is kept for all readers.
///
/// Thread-safety: safe. Reads block.
package final class SegmentListSource: ByteSource {
    /// What a playlist says about a track.
    package struct Rendition: Hashable, Sendable {
        package var name: String
        package var language: String
        /// As libavformat names them.
        package var dispositions: [String]

        package init(name: String, language: String, dispositions: [String]) {
            self.name = name
            self.language = language
            self.dispositions = dispositions
        }
    }

    /// One list of the source.
    package struct Part: Sendable {
        package enum Kind: Hashable, Sendable {
            case media
            /// WebVTT.
            case text
        }

        package let kind: Kind
        package let list: SegmentList
        /// Of its audio or text; `nil` if nothing is said of it.
        package let rendition: Rendition?
        /// Whether the playlist promises that every segment begins with a keyframe.
        package let isIndependent: Bool

        package init(
            _ list: SegmentList,
            _ rendition: Rendition? = nil,
            kind: Kind = .media,
            isIndependent: Bool = false
        ) {
            self.kind = kind
            self.list = list
            self.rendition = rendition
            self.isIndependent = isIndependent
        }
    }

    /// What the first segment of a group says about all of it.
    struct Group {
        let clock: ListClock
        /// Codec private data of the video. Empty if there is none.
        let configuration: [UInt8]
    }

    /// What a list says, and a digest of it without what changes when URLs are signed again.
    package struct Content: Sendable {
        package let parts: [Part]
        package let digest: String
        /// The playlist, if segments may follow those that it lists.
        package let growing: HLSMediaPlaylist?

        /// - Parameter parts: the leading one first, none of them empty.
        package init(parts: [Part], digest: String, growing: HLSMediaPlaylist? = nil) {
            self.parts = parts
            self.digest = digest
            self.growing = growing
        }
    }

    private struct State {
        var parts: [Part]
        /// `nil` once the list is complete.
        var follower: ListFollower?
        /// Whether somebody loads a growing list again and again, so that waiting for more segments has an end.
        var isFollowed = false
        /// Whether the list has to be fetched again before anything else is.
        var isStale = false
        /// Whether its URLs may be others than those that it was opened with.
        var wasRefreshed = false
        var cache: SegmentCache
        /// By URL.
        var keys: [String: [UInt8]] = [:]
        /// Whether the leading list's segments begin with keyframes, once that is known.
        var isAligned: Bool?
        /// Of the leading list's groups, as far as they are known.
        var groups: [Int: Group] = [:]
        var bytesRead: UInt64 = 0
        var wait: SourceWait?
        var observers: [UInt64: AsyncStream<SourceWait?>.Continuation] = [:]
        var lastObserver: UInt64 = 0
    }

    package let path: String
    package let identity: SourceIdentity
    package let isRemote: Bool
    /// The peak in bits per second, as the list states it. 0: it does not.
    package let bitRate: Int64
    package let variants: ListVariants
    /// Where the timeline begins, from the first picture on, for a variant that has to begin where another one does. `nil`:
    /// where the first packets say.
    package let originOffset: MediaTime?
    package let resources: any ListResources
    /// Notices for the user about the list.
    package let notices: [Notice]
    private let digest: String
    /// Whether segments could follow when the list was opened.
    private let grew: Bool
    private let reload: @Sendable (InterruptFlag) throws(EngineError) -> Content
    private let state: Locked<State>
    /// A longer resource is no key.
    private static let keyLimit = 1 << 10
    /// A reader at the end of a growing list looks so often, in nanoseconds.
    private static let lookInterval: Int64 = 200_000_000

    /// - Parameters:
    ///   - path: as `ByteSource.path`.
    ///   - reload: fetches the list again, after a refresh.
    package init(
        path: String,
        isRemote: Bool,
        _ content: Content,
        bitRate: Int64 = 0,
        variants: ListVariants = ListVariants(),
        cacheByteLimit: Int? = nil,
        originOffset: MediaTime? = nil,
        resources: any ListResources,
        notices: [Notice] = [],
        reload: @escaping @Sendable (InterruptFlag) throws(EngineError) -> Content
    ) {
        self.path = path
        self.isRemote = isRemote
        self.reload = reload
        digest = content.digest
        grew = content.growing != nil
        let cache = SegmentCache(byteLimit: cacheByteLimit ?? SegmentCache.defaultByteLimit)
        state = Locked(State(parts: content.parts, follower: content.growing.map { ListFollower($0) }, cache: cache))
        self.bitRate = bitRate
        self.variants = variants
        self.originOffset = originOffset
        self.resources = resources
        self.notices = notices
        identity = .list(name: path, digest: content.digest)
    }

    /// The first one leads: its segments are those of the plan.
    package var parts: [Part] { state.withLock(\.parts) }

    package var lead: SegmentList { parts[0].list }

    /// Fetches the list again before anything else is fetched, because its URLs may have been signed again.
    package func refresh() {
        state.withLock { state in
            state.isStale = true
            state.wasRefreshed = true
        }
    }

    /// Opens one of the variants that players may switch to. It fetches its resources as this source does.
    ///
    /// - Parameters:
    ///   - index: `SourceVariant.index`.
    ///   - origin: where the timeline of this source begins, on its clock: that of the variant begins at the same picture.
    package func sibling(
        _ index: Int,
        origin: MediaTime,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> SegmentListSource {
        let (isStale, clock) = state.withLock { ($0.wasRefreshed, $0.groups[0]?.clock) }
        let opening = ListVariants.Opening(
            index: index,
            isStale: isStale,
            originOffset: clock.map { origin - $0.origin }
        )
        return try variants.open(opening, interrupt)
    }

    /// - Throws: `sourceChanged` if the list says something else than before.
    private func reloadIfStale(_ interrupt: InterruptFlag) throws(EngineError) {
        guard state.withLock(\.isStale) else { return }
        let content = try reload(interrupt)
        guard grew || content.digest == digest else { throw changed }
        try adopt(content)
    }

    /// Takes a later load of the list. An older version of it, e.g. from a cache, is ignored.
    ///
    /// - Returns: whether segments were added.
    /// - Throws: `sourceChanged` if it does not go on with what is known.
    @discardableResult
    private func adopt(_ content: Content) throws(EngineError) -> Bool {
        let isNew: Bool? = state.withLock { state in
            guard let loaded = content.parts.first, let known = state.parts.first, loaded.list.agrees(with: known.list)
            else { return nil }
            let count = known.list.segments.count
            guard loaded.list.segments.count >= count else { return false }
            state.parts = content.parts
            state.isStale = false
            if content.growing == nil { state.follower = nil }
            return loaded.list.segments.count > count
        }
        guard let isNew else { throw changed }
        return isNew
    }

    private var changed: EngineError { EngineError(.sourceChanged, "\(path) lists other segments than before") }

    // MARK: Growth

    package var growth: SourceGrowth? { state.withLock(\.follower) == nil ? nil : SourceGrowth() }

    package func endGrowth() { state.withLock { $0.follower = nil } }

    /// Loads a growing list again until it has more segments or has ended. Call from one thread only.
    ///
    /// - Throws: `cancelled`, `sourceChanged`, and why the list cannot be loaded, once that has failed for a minute.
    package func grow(_ interrupt: InterruptFlag) throws(EngineError) {
        state.withLock { $0.isFollowed = true }
        do throws(EngineError) {
            try follow(interrupt)
        } catch {
            state.withLock { $0.isFollowed = false }
            throw error
        }
    }

    /// Waits for the segment behind the last one of a list, if somebody follows the list.
    ///
    /// - Parameter count: of the segments that the reader knows.
    /// - Returns: whether the list has more than that.
    func grows(beyond count: Int, list: Int, _ interrupt: InterruptFlag) throws(EngineError) -> Bool {
        let wake = WakeSignal()
        interrupt.add(wake)
        defer { interrupt.remove(wake) }
        while state.withLock({
            $0.isFollowed && $0.follower != nil && $0.parts[list].list.segments.count <= count
        }) {
            if interrupt.isUp { throw EngineError(.cancelled, "reading \(path) was interrupted") }
            wake.wait(atMost: Self.lookInterval)
        }
        return parts[list].list.segments.count > count
    }

    private func follow(_ interrupt: InterruptFlag) throws(EngineError) {
        while var follower = state.withLock(\.follower) {
            try follower.wait(interrupt, path: path)
            let content: Content
            do throws(EngineError) {
                content = try reload(interrupt)
            } catch {
                try follower.failed(error)
                state.withLock { $0.follower = follower }
                continue
            }
            let isNew = try adopt(content)
            guard let growing = content.growing else { return }
            follower.loaded(growing, hasChanged: isNew)
            state.withLock { $0.follower = follower }
            if isNew { return }
        }
    }

    // MARK: Segments

    /// The bytes of one segment, after those of its init segment if it has one.
    func bytes(of index: Int, in list: Int, _ interrupt: InterruptFlag) throws(EngineError) -> [UInt8] {
        try reloadIfStale(interrupt)
        let segment = parts[list].list.segments[index]
        do throws(EngineError) {
            let head = try segment.map.map { map throws(EngineError) in try bytes(of: map, interrupt) } ?? []
            let body = try bytes(of: segment.resource, interrupt)
            guard let cipher = segment.samples, !Self.isMovie(head.isEmpty ? body : head) else {
                return head.isEmpty ? body : head + body
            }
            return try sampleKey(cipher, interrupt).clear(head + body)
        } catch {
            if error.code == .cancelled { throw error }
            throw EngineError(
                error.code,
                "segment \(index) of \(path) cannot be read: \(error.message)",
                cause: error.cause
            )
        }
    }

    /// Whether these bytes are fMP4.
    private static func isMovie(_ bytes: [UInt8]) -> Bool {
        let types = ["ftyp", "styp", "moov", "moof", "sidx", "emsg", "prft", "free"]
        return types.contains(String(decoding: bytes.dropFirst(4).prefix(4), as: UTF8.self))
    }

    /// The first segment of the leading list.
    func head(_ interrupt: InterruptFlag) throws(EngineError) -> FormatContext {
        let first = lead.head
        let key = try sampleKey(of: first, in: 0, interrupt)?.key
        return try OpenSegment.open(bytes(of: first, in: 0, interrupt), first, of: 0, in: self, key: key, interrupt)
    }

    /// The first segments of the lists beside the leading one, as far as they have to be fetched.
    var missingHeads: [ListedResource] {
        state.withLock { state in
            let heads = state.parts.dropFirst().filter { $0.kind == .media }.map { $0.list.segments[$0.list.head] }
            return heads.flatMap { [$0.map, $0.resource].compactMap(\.self) }.filter { state.cache.take($0) == nil }
        }
    }

    /// What decrypts the samples of a segment of fMP4. `nil` if they are in the clear, or in another container.
    func sampleKey(of index: Int, in list: Int, _ interrupt: InterruptFlag) throws(EngineError) -> SampleKey? {
        try reloadIfStale(interrupt)
        guard let cipher = parts[list].list.segments[index].samples else { return nil }
        return try sampleKey(cipher, interrupt)
    }

    private func sampleKey(_ cipher: SampleCipher, _ interrupt: InterruptFlag) throws(EngineError) -> SampleKey {
        defer { publish(nil) }
        return try SampleKey(cipher, key(cipher.keyURL, { [weak self] in self?.publish($0) }, interrupt))
    }

    /// Whether samples are encrypted, and the engine has what decrypts them.
    var decryptsSamples: Bool { parts.contains { $0.list.segments.contains { $0.samples != nil } } }

    /// Bits per second of the first segments of all lists, as far as they are fetched. 0 if none is.
    var firstBitRate: UInt64 {
        let rates = parts.filter { $0.kind == .media }.map { part -> Double in
            let first = part.list.segments[part.list.head]
            let count = state.withLock { $0.cache.take(first.resource)?.count } ?? 0
            return first.duration > .zero ? Double(count * 8) / first.duration.seconds : 0
        }
        return UInt64(rates.reduce(0, +))
    }

    /// The URL of a segment for messages: without user name, password and query.
    func shownURL(of index: Int, in list: Int) -> String {
        Self.shown(parts[list].list.segments[index].resource.url)
    }

    static func shown(_ url: String) -> String {
        guard !DataURL.isOne(url) else { return "in the playlist" }
        guard !FilePath.isFileURL(url) else { return FilePath(fileURL: url)?.text ?? "a file" }
        do throws(ResourceURL.Failure) {
            return try ResourceURL(url).shown
        } catch {
            return "a malformed URL"
        }
    }

    private func bytes(of resource: ListedResource, _ interrupt: InterruptFlag) throws(EngineError) -> [UInt8] {
        if interrupt.isUp { throw EngineError(.cancelled, "reading \(path) was interrupted") }
        if let known = state.withLock({ $0.cache.take(resource) }) { return known }
        let observer: @Sendable (SourceWait?) -> Void = { [weak self] wait in self?.publish(wait) }
        defer { publish(nil) }
        var bytes = try resources.fetch(
            resource,
            byteLimit: SegmentCache.segmentLimit,
            observer: observer,
            interrupt: interrupt
        ).bytes
        if let cipher = resource.cipher {
            let key = try key(cipher.keyURL, observer, interrupt)
            do throws(CipherError) {
                bytes = try cipher.plaintext(of: bytes, key: key)
            } catch {
                let text = "it cannot be decrypted with the key \(Self.shown(cipher.keyURL))"
                throw EngineError(.segmentFailed, text, cause: "\(error)")
            }
        }
        state.withLock { state in
            state.cache.add(bytes, of: resource)
            state.bytesRead += UInt64(bytes.count)
        }
        return bytes
    }

    /// A key, which is fetched once.
    private func key(
        _ url: String,
        _ observer: @escaping @Sendable (SourceWait?) -> Void,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> [UInt8] {
        if DataURL.isOne(url) {
            guard let key = DataURL.bytes(of: url) else {
                throw EngineError(.segmentFailed, "the key in the playlist is not a valid data: URL")
            }
            return key
        }
        if let known = state.withLock({ $0.keys[url] }) { return known }
        do throws(EngineError) {
            let key = try resources.fetch(
                ListedResource(url: url),
                byteLimit: Self.keyLimit,
                observer: observer,
                interrupt: interrupt
            ).bytes
            state.withLock { $0.keys[url] = key }
            return key
        } catch {
            if error.code == .cancelled { throw error }
            throw EngineError(error.code, "its key cannot be fetched: \(error.message)", cause: error.cause)
        }
    }

    /// The clock of a group of segments. All lists have one clock: a group of another list than the leading one has that
    /// of the leading list's group that it is paired with.
    ///
    /// - Parameter find: finds out when the first segment of a group of the leading list is presented, as it states it, and
    ///   the codec private data of its video.
    func clock(
        ofGroup group: Int,
        in list: Int,
        find: (_ group: Int) throws(EngineError) -> (anchor: MediaTime, configuration: [UInt8])
    ) throws(EngineError) -> ListClock {
        let listed = parts[list].list
        guard list == 0 else {
            return try clock(ofGroup: listed.group(of: lead, pairedWith: group), in: 0, find: find)
        }
        let start = listed.segments[listed.head(ofGroup: group)].start
        if let known = state.withLock({ $0.groups[group] }) { return known.clock }
        let first = group == 0 ? nil : try clock(ofGroup: 0, in: 0, find: find)
        let found = try find(group)
        let clock = ListClock(anchor: found.anchor, after: first, start: start)
        state.withLock { $0.groups[group] = Group(clock: clock, configuration: found.configuration) }
        return clock
    }

    /// Codec private data of the video of a group of the leading list. `nil` until a segment of it was read.
    func configuration(ofGroup group: Int) -> [UInt8]? { state.withLock { $0.groups[group]?.configuration } }

    /// Whether the segments of the leading list begin with keyframes. If not, each begins with pictures that belong to the
    /// one before it in decoding order. Known from the playlist, otherwise from its second segment.
    func isAligned(_ interrupt: InterruptFlag) throws(EngineError) -> Bool {
        if let known = state.withLock(\.isAligned) { return known }
        let list = lead
        var isAligned = true
        if !parts[0].isIndependent, list.segments.count > 1, list.segments[1].group == 0, list.segments[1].map == nil,
            !list.segments[1].isGap
        {
            let second = try OpenSegment(1, of: 0, in: self, interrupt)
            try second.identifyStreams(of: self, measuresRates: false)
            isAligned = try second.beginsWithKeyframe(path: path)
        }
        // The second segment of a growing list may follow.
        if list.segments.count > 1 || growth == nil { state.withLock { $0.isAligned = isAligned } }
        return isAligned
    }

    // MARK: ByteSource

    /// Unknown: 0.
    package var byteCount: Int64 { 0 }
    package var bytesRead: UInt64 { state.withLock(\.bytesRead) }
    package var traffic: SourceTraffic { resources.traffic }

    /// What was fetched stays as it is; what is fetched later cannot be compared with anything.
    package func verify() throws(EngineError) {}

    package func report(_ playback: @escaping @Sendable () -> PlaybackReport?) { resources.report(playback) }

    package func waits() -> AsyncStream<SourceWait?> {
        let (stream, observer) = AsyncStream.makeStream(of: SourceWait?.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = observer
            return state.lastObserver
        }
        observer.onTermination = { [weak self] _ in self?.state.withLock { $0.observers[id] = nil } }
        return stream
    }

    private func publish(_ wait: SourceWait?) {
        let observers = state.withLock { state -> [AsyncStream<SourceWait?>.Continuation] in
            guard state.wait != wait else { return [] }
            state.wait = wait
            return Array(state.observers.values)
        }
        for observer in observers { observer.yield(wait) }
    }

    package func cursor(_ interrupt: InterruptFlag) -> any ByteCursor { Cursor(self, interrupt) }

    private final class Cursor: ByteCursor {
        private let source: SegmentListSource
        private let interrupt: InterruptFlag

        init(_ source: SegmentListSource, _ interrupt: InterruptFlag) {
            self.source = source
            self.interrupt = interrupt
        }

        /// The end of the places.
        var byteCount: Int64 {
            ListPlace(list: source.parts.count - 1, segment: source.parts[source.parts.count - 1].list.segments.count)
                .position
        }

        /// A read ends with its segment.
        func read(at offset: Int64, into output: inout OutputRawSpan) throws(EngineError) -> Int {
            guard offset >= 0 else { return 0 }
            let place = ListPlace(position: offset)
            guard source.parts.indices.contains(place.list),
                source.parts[place.list].list.segments.indices.contains(place.segment)
            else { return 0 }
            let bytes = try source.bytes(of: place.segment, in: place.list, interrupt)
            guard place.offset < Int64(bytes.count) else { return 0 }
            let start = Int(place.offset)
            let count = min(output.freeCapacity, bytes.count - start)
            bytes.copy(start..<start + count, to: &output)
            return count
        }
    }
}
