// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
internal import Packaging

/// Which title of a disc to open, and at which angle.
package struct TitleChoice: Hashable, Sendable {
    /// `DiscTitle.number`. `nil` for the main title.
    package let number: Int?
    /// Counted from 1.
    package let angle: Int

    package init(number: Int? = nil, angle: Int = 1) {
        self.number = number
        self.angle = angle
    }

    package init(_ options: LoadOptions) { self.init(number: options.title, angle: options.angle) }
}

/// One title of a disc as one run of bytes: the parts of its clips, one after another, after the bytes that the engine
/// puts in front (`TitleHead`).
///
/// Thread-safety: safe.
final class TitleSource: ByteSource, SourceLayout {
    enum Kind: String {
        case bluRay = "Blu-ray"
        case dvd = "DVD"

        /// Where in a packet demuxers can begin to read the title. On a Blu-ray disc, each packet of a clip has a
        /// header of four bytes in front.
        var packetOffset: Int64 { self == .bluRay ? 4 : 0 }

        /// The number of data bytes in one error-correction block of the disc.
        var blockByteCount: Int64 {
            switch self {
            case .bluRay: 32 * ImageBytes.sectorByteCount
            case .dvd: 16 * ImageBytes.sectorByteCount
            }
        }
    }

    /// The parts of a title, and the facts that its disc states about it.
    struct Content {
        let kind: Kind
        let pieces: [DiscFile.Piece]
        let timeline: TitleTimeline
        /// `nil` if the disc does not state the entry points of the title.
        let map: TitleMap?
        /// The container's numbers of the video and audio streams that the disc states. Some of these streams may not
        /// exist.
        var streams: Set<Int> = []
        /// The name of the disc; `nil` if it has none.
        let name: String?
        /// By the streams' numbers in the container.
        let languages: [Int: String]
        /// What streams are for (`StreamDescription.dispositions`), by their numbers in the container.
        var dispositions: [Int: [String]] = [:]
        /// The text subtitles of a Blu-ray disc.
        var texts: [TitleText] = []
        /// The parameters for decoding a DVD's subtitles.
        var subtitles: SubtitleSetup?
        let chapters: TitleChapters
        /// All titles of the disc.
        let titles: [DiscTitle]
        let notices: [Notice]
        /// The blocks that could not be read.
        var losses = SourceLosses()
    }

    /// A piece and where it begins in the title.
    private struct Place {
        let start: Int64
        let piece: DiscFile.Piece
    }

    /// The maximum number of pieces of one range that are requested from the sources.
    private static let expectedPieces = 16

    let path: String
    /// As `DiscFiles.fileName`.
    let fileName: FilePath?
    let identity: SourceIdentity
    let content: Content
    private let places: [Place]
    private let sources: [any ByteSource]
    let byteCount: Int64
    /// The cursors that request the start of a title on a server, until the title has been opened: without them, the
    /// transfers would be cancelled.
    private let ahead = Locked<[any ByteCursor]>([])
    /// The starts of the chapters, once they are known.
    private let starts = Locked<[MediaTime]?>(nil)

    /// - Parameter number: the number of the title.
    init(_ files: any DiscFiles, number: Int, angle: Int, _ content: Content) {
        path = files.path
        fileName = files.fileName
        self.content = content
        var places: [Place] = []
        var sources: [any ByteSource] = []
        var known: Set<ObjectIdentifier> = []
        var start: Int64 = 0
        var hash = StableHash()
        for piece in content.pieces {
            places.append(Place(start: start, piece: piece))
            start += piece.byteCount
            if known.insert(ObjectIdentifier(piece.source)).inserted { sources.append(piece.source) }
            hash.add("\(piece.source.identity) \(piece.range)".utf8)
        }
        self.places = places
        self.sources = sources
        byteCount = start
        identity = .list(name: "\(path) title \(number) angle \(angle)", digest: hash.hexadecimal)
    }

    var bytesRead: UInt64 { sources.reduce(0) { $0 + $1.bytesRead } }
    var isRemote: Bool { sources.contains { $0.isRemote } }
    var isUsable: Bool { sources.allSatisfy { $0.isUsable } }
    var traffic: SourceTraffic { image?.traffic ?? SourceTraffic() }

    func waits() -> AsyncStream<SourceDelivery> { image?.waits() ?? AsyncStream { $0.finish() } }

    func retry() { for source in sources { source.retry() } }

    // MARK: SourceLayout

    var reading: SourceReading { .title(self) }

    /// The disc's own files have the facts that other containers state at their end.
    var canEndWithIndex: Bool { false }

    var texts: [TitleText] { content.texts }

    /// The position of the random access point at or before a time, by the map of the title: libavformat does not know
    /// its times. `nil` without a usable map.
    ///
    /// - Parameters:
    ///   - plan: known random access points, between which the map is searched.
    ///   - bytes: reads this source.
    func position(
        atOrBefore time: Int64,
        knowing plan: SegmentPlan?,
        _ bytes: any ByteCursor
    ) throws(EngineError) -> Int64? {
        guard let map = content.map else { return nil }
        return try map.position(atOrBefore: time, content.timeline, plan, bytes)
    }

    /// The parameters of a stream, with what only the disc states of a DVD's subtitles.
    func completed(
        _ parameters: CodecParameters,
        of index: Int,
        _ streams: [StreamInfo]
    ) throws(FFmpegError) -> CodecParameters {
        guard let setup = content.subtitles, streams.contains(where: { $0.index == index && $0.kind == .subtitle })
        else { return parameters }
        return try CodecParameters(parameters, privateText: setup.text)
    }

    /// Whether a map of units leads to the random access point at or before a time of the video. Only DVDs have such
    /// maps.
    var hasMap: Bool {
        guard case .units(let map)? = content.map else { return false }
        return map.isUsable
    }

    func hasBeenOpened() { ahead.withLock { $0 = [] } }

    var notices: [Notice] {
        let count = content.losses.count
        return content.notices + (count > 0 ? [.unreadable(count, of: path)] : [])
    }

    func lostBlocks() -> AsyncStream<Int> { content.losses.stream() }

    /// The disc's image, if it is on a server.
    var image: (any ByteSource)? { sources.first { $0.isRemote } }

    /// The byte at which demuxers enter the title if there are packets in front of it (`TitleTimeline.samples`).
    /// Otherwise `nil`.
    var sampledStart: Int64? {
        content.timeline.samples.isEmpty ? nil : content.timeline.start + content.kind.packetOffset
    }

    // MARK: Bytes

    func report(_ playback: @escaping @Sendable () -> PlaybackReport?) {
        for source in sources { source.report(playback) }
    }

    func expectPlayback(at bytesPerSecond: Double) {
        for source in sources { source.expectPlayback(at: bytesPerSecond) }
    }

    func verify() throws(EngineError) { for source in sources { try source.verify() } }

    func cursor(_ interrupt: InterruptFlag) -> any ByteCursor { Cursor(self) { $0.cursor(interrupt) } }

    func follower(_ interrupt: InterruptFlag) -> any ByteCursor { Cursor(self) { $0.follower(interrupt) } }

    /// The index of the piece that contains a byte of the title.
    private func place(at offset: Int64) -> Int {
        var low = 0
        var high = places.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if places[middle].start <= offset { low = middle } else { high = middle }
        }
        return low
    }

    /// Requests ranges of the title, and keeps requesting them until `hasBeenOpened`.
    private func announce(_ ranges: [Range<Int64>], _ interrupt: InterruptFlag) {
        let parts = parts(of: ranges)
        let cursors = sources.map { source in
            let cursor = source.cursor(interrupt)
            cursor.expect(parts[ObjectIdentifier(source)] ?? [])
            return cursor
        }
        ahead.withLock { $0 = cursors }
    }

    /// For each source, its bytes in these ranges of the title; at most the first `expectedPieces` pieces of a range.
    private func parts(of ranges: [Range<Int64>]) -> [ObjectIdentifier: [Range<Int64>]] {
        var parts: [ObjectIdentifier: [Range<Int64>]] = [:]
        for range in ranges.map({ $0.clamped(to: 0..<byteCount) }) where !range.isEmpty {
            for place in places[place(at: range.lowerBound)...].prefix(Self.expectedPieces) {
                let shift = place.piece.range.lowerBound - place.start
                let start = max(range.lowerBound, place.start) + shift
                let end = min(range.upperBound + shift, place.piece.range.upperBound)
                guard start < end else { break }
                parts[ObjectIdentifier(place.piece.source), default: []].append(start..<end)
            }
        }
        return parts
    }

    private final class Cursor: ByteCursor {
        private let title: TitleSource
        private let cursors: [ObjectIdentifier: any ByteCursor]

        init(_ title: TitleSource, _ open: (any ByteSource) -> any ByteCursor) {
            self.title = title
            cursors = Dictionary(uniqueKeysWithValues: title.sources.map { (ObjectIdentifier($0), open($0)) })
        }

        var byteCount: Int64 { title.byteCount }

        /// A read never extends beyond the end of a piece.
        func read(at offset: Int64, into output: inout OutputRawSpan) throws(EngineError) -> Int {
            guard offset >= 0, offset < title.byteCount else { return 0 }
            let place = title.places[title.place(at: offset)]
            guard let cursor = cursors[ObjectIdentifier(place.piece.source)] else { return 0 }
            let inside = offset - place.start
            let count = Int(min(Int64(output.freeCapacity), place.piece.byteCount - inside))
            guard count > 0 else { return 0 }
            if count == output.freeCapacity {
                return try cursor.read(at: place.piece.range.lowerBound + inside, into: &output)
            }
            let bytes = try cursor.read(at: place.piece.range.lowerBound + inside, count: count)
            bytes.copy(0..<bytes.count, to: &output)
            return bytes.count
        }

        func expect(_ ranges: [Range<Int64>]) {
            let parts = title.parts(of: ranges)
            for (id, cursor) in cursors { cursor.expect(parts[id] ?? []) }
        }
    }
}

extension TitleSource {
    /// The chapters. The start times of a DVD's chapters are read from the title, and then kept.
    func chapters(_ interrupt: InterruptFlag) throws(EngineError) -> [Chapter] {
        let found = try chapterStarts(interrupt)
        let ends = found.dropFirst() + [MediaTime(content.timeline.duration, in: .hertz(90_000))]
        return zip(found, ends).enumerated().map { number, chapter in
            let name = content.chapters.name(of: number) ?? "Chapter \(number + 1)"
            return Chapter(start: chapter.0, end: chapter.1, title: name)
        }
    }

    private func chapterStarts(_ interrupt: InterruptFlag) throws(EngineError) -> [MediaTime] {
        if let known = starts.withLock({ $0 }) { return known }
        let found = try content.chapters.starts(cursor(interrupt))
        starts.withLock { $0 = found }
        return found
    }

    /// The container's description, completed with what the disc states about the title, except for chapters.
    ///
    /// - Parameters:
    ///   - container: what the container declares.
    ///   - identifiers: each stream's number in the container, by stream index.
    func completed(_ container: MediaDescription, identifiers: [Int: Int]) -> MediaDescription {
        var media = container
        for place in media.streams.indices where [.audio, .subtitle].contains(media.streams[place].kind) {
            guard let number = identifiers[media.streams[place].index] else { continue }
            if media.streams[place].language.isEmpty, let language = content.languages[number] {
                media.streams[place].language = language
            }
            for word in content.dispositions[number] ?? [] where !media.streams[place].has(disposition: word) {
                media.streams[place].dispositions.append(word)
            }
        }
        let duration = MediaTime(content.timeline.duration, in: .hertz(90_000))
        media.duration = duration
        media.bitRate = duration > .zero ? UInt64(Double(byteCount) * 8 / duration.seconds) : 0
        for place in media.streams.indices { media.streams[place].duration = nil }
        media.containerName = "\(content.kind.rawValue) (\(media.containerName))"
        media.titles = content.titles
        // A program of the first part lacks the streams of the others.
        if !content.timeline.samples.isEmpty { media.programs = [] }
        if let name = content.name, !media.tags.contains(where: { $0.key == "title" }) {
            media.tags.append(Tag("title", name))
        }
        return listingTexts(media)
    }

    /// Throws `sourceEncrypted` if samples of the title's bytes are encrypted.
    func requireClear(_ interrupt: InterruptFlag) throws(EngineError) {
        if isRemote { announce(layout.examinedReads, interrupt) }
        let cursor = cursor(interrupt)
        let first = content.timeline.start
        for range in Self.samples(of: content.kind, byteCount, from: first, isRemote: isRemote) {
            let bytes = try cursor.read(at: range.lowerBound, count: range.count)
            let cause = content.kind == .bluRay ? Self.lostSync(bytes) : Self.scrambling(bytes)
            guard let cause else { continue }
            throw EngineError(
                .sourceEncrypted,
                "\(path) is encrypted (\(content.kind == .bluRay ? "AACS" : "CSS")), which the engine does not decrypt",
                cause: "at byte \(range.lowerBound) of the title, \(cause)"
            )
        }
    }

    /// The ranges at the start and in the middle of a title that are searched for encryption.
    ///
    /// - Parameters:
    ///   - byteCount: the length of the title.
    ///   - first: the first byte of its first part.
    private static func samples(
        of kind: Kind,
        _ byteCount: Int64,
        from first: Int64 = 0,
        isRemote: Bool
    ) -> [Range<Int64>] {
        let (unit, count) =
            switch kind {
            case .bluRay: (unitByteCount, 2 * unitByteCount)
            case .dvd: (VideoUnit.packByteCount, isRemote ? remoteScrambledByteCount : scrambledByteCount)
            }
        let middle = byteCount / 2 / Int64(unit) * Int64(unit)
        return [first..<first + Int64(count), middle..<middle + Int64(count)]
    }

    /// The part in the middle of a title on a server that is searched for encryption.
    ///
    /// - Parameter byteCount: the length of the title.
    static func middleSample(of kind: Kind, _ byteCount: Int64) -> Range<Int64> {
        samples(of: kind, byteCount, isRemote: true)[1]
    }

    /// The number of packets, and of bytes, that AACS encrypts as one unit.
    private static let unitPacketCount = 32
    private static let unitByteCount = unitPacketCount * TransportUnit.packetByteCount

    /// With AACS, the first 16 bytes of each 6144 bytes are in the clear. They contain the header that declares the
    /// encryption; the sync bytes of all packets but the first are encrypted (AACS Blu-ray Disc Pre-recorded Book,
    /// 3.10).
    ///
    /// These units are counted from the start of a clip, but a part of a title may begin at any packet of its clip, so
    /// the first unit may begin at any packet of the sample.
    private static func lostSync(_ bytes: [UInt8]) -> String? {
        let size = TransportUnit.packetByteCount
        for start in stride(from: 0, through: bytes.count - unitByteCount, by: size).prefix(unitPacketCount)
        where bytes[start + 4] == 0x47 && bytes[start] & 0xC0 != 0 {
            let packets = stride(from: start, to: start + unitByteCount, by: size)
            // Zeros replace what could not be read from the disc.
            let lost = packets.filter { ![0, 0x47].contains(bytes[$0 + 4]) }.count
            if lost > unitPacketCount / 2 { return "\(lost) of \(unitPacketCount) packets lack the sync byte" }
        }
        return nil
    }

    /// The number of bytes that are searched for scrambled packs at the start, and in the middle, of a DVD's title:
    /// parts of a title may be in the clear.
    private static let scrambledByteCount = 256 * VideoUnit.packByteCount
    /// The same for an image on a server, where more would delay playback.
    private static let remoteScrambledByteCount = 64 * VideoUnit.packByteCount

    private static func scrambling(_ bytes: [UInt8]) -> String? {
        let packs = stride(from: 0, to: bytes.count, by: VideoUnit.packByteCount)
        let count = packs.filter { VideoUnit.isScrambled(pack: bytes[$0...].prefix(VideoUnit.packByteCount)) }.count
        return count > 0 ? "\(count) of \(packs.underestimatedCount) packs are flagged as scrambled" : nil
    }
}

extension Notice {
    static func guessedTitle(_ name: String, of count: Int, _ path: String) -> Notice {
        let text = "the main title of \(path) is a guess: \(name), of \(count) titles; others can be chosen"
        return Notice(.info, "disc.title_guessed", text)
    }
}
