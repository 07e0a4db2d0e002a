// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
package import Packaging

/// Opens one source, seeks in it and reads its packets. Decides nothing about the packets. Only the `seek` methods and
/// `codecParameters` throw libavformat's errors; other methods throw `EngineError`.
///
/// Not thread-safe: owned by one actor with its own thread. Raising the interrupt flag ends a running call.
package final class SourceReader {
    /// After this many consecutive broken packets, the rest of a file is given up.
    private static let brokenPacketLimit = 1000

    package let file: any ByteSource
    /// For reads that bypass the demuxer.
    let bytes: any ByteCursor
    private let opening: SourceOpening
    /// libavformat's demuxer, for queries about the container's index and pictures; in a list, the demuxer of its first
    /// segment. Seeks and stream selections go through the reader.
    package private(set) var context: FormatContext
    /// `nil` for a single container.
    let list: ListReader?
    /// `nil` unless the source is the title of a disc.
    let title: TitleSource?
    private(set) var search: StreamSearch
    private var pictures = PictureReading()
    private var audio = AudioTimes(streams: [], in: nil)
    private var clocks = SourceClocks()
    private var passed = SkippedPage.none
    private var missing: MissingIndex

    /// Opens the source, and reads until its streams are known if its header does not describe them.
    ///
    /// - Parameters:
    ///   - edits: what is known about the edit lists of an MP4 file, which `SourceExaminer` finds out.
    ///   - keepsTeletextTimes: as in `FormatContext.open`.
    package init(
        file: any ByteSource,
        for purpose: FormatContext.Purpose,
        edits: FormatContext.Edits,
        keepsTeletextTimes: Bool = false,
        interrupt: InterruptFlag
    ) throws(EngineError) {
        self.file = file
        bytes = file.cursor(interrupt)
        opening = SourceOpening(
            purpose: purpose,
            edits: edits,
            keepsTeletextTimes: keepsTeletextTimes,
            reading: file.layout.reading,
            interrupt: interrupt
        )
        search = StreamSearch(opening)
        missing = MissingIndex(
            keyframes: MissingKeyframes(of: bytes),
            fragments: try FollowedFragments(of: file, opening.reading, interrupt)
        )
        context = try opening.context(of: file, fragments: missing.fragments == nil ? .listed : .followed)
        missing.fragments?.learn(from: context)
        switch opening.reading {
        case .container: (list, title) = (nil, nil)
        case .title(let found): (list, title) = (nil, found)
        case .list(let found):
            (list, title) = (try ListReader(found, lead: context.streamInfos(), interrupt), nil)
        }
        try identifyStreams()
        if container.isOgg { missing.links.firstStreams = context.streamInfos() }
        pictures.hasJumped(to: 0, in: context, container)
        pictures.counted = try CountedPictures(in: self)
        if let title { clocks = SourceClocks(title.content.timeline, context.streamInfos()) }
    }

    /// Ends running calls once it is raised.
    var interrupt: InterruptFlag { opening.interrupt }

    /// Whether the source puts packets on one clock by itself, so that no plan is followed.
    package var hasOwnClock: Bool {
        list != nil || title != nil
    }

    /// The container of the source.
    package var container: ContainerFormat {
        list == nil ? context.container : .segmentList
    }

    /// Corrects the description of an MP4 file whose fragments have no index; its last fragments are read for the
    /// durations. Returns any other description unchanged.
    func completedByFragments(_ media: MediaDescription) -> MediaDescription {
        missing.fragments?.completed(media, context.streamInfos()) ?? media
    }

    /// The streams of the source, in the order of their indexes.
    package func streamInfos() -> [StreamInfo] { context.streamInfos() + (list?.otherStreams ?? []) }

    /// Whether all of these streams come from playlists other than the leading one. False for a single container.
    package func haveOwnPlaylists(_ streams: Set<Int>) -> Bool {
        list.map { list in streams.allSatisfy { list.list(of: $0) > 0 } } ?? false
    }

    /// The read position in the source.
    package var fileOffset: Int64 { list?.place.position ?? missing.links.start + context.fileOffset }

    /// How much is known about the edit lists of an MP4 file.
    package var edits: FormatContext.Edits { opening.edits }

    /// Opens the source again, at its start. The caller selects streams and configures the demuxer again.
    package func reopen() throws(EngineError) {
        search = StreamSearch(opening)
        missing.selection = FollowedFragments.Selection()
        missing.links.close()
        context = try opening.context(of: file, fragments: missing.fragments == nil ? .listed : .followed)
        try identifyStreams()
        list?.enterFirst()
        clocks.enter(at: nil)
        pictures.hasJumped(to: 0, in: context, container)
    }

    /// Reads until the streams are known if the header does not describe them. The read position stays at the start.
    private func identifyStreams() throws(EngineError) {
        if !context.container.describesItself { try findStreamInfo() }
        do throws(FFmpegError) { try context.allowSeeks() } catch {
            throw EngineError(error, .sourceNotReadable, "\(file.path) cannot be read from its start")
        }
    }

    /// Reads the beginning of the source, up to a limit, to identify its streams. Runs once until the source is reopened.
    package func findStreamInfo() throws(EngineError) {
        do throws(FFmpegError) {
            if try search.run(in: &context, of: file) { try list?.findStreamInfo() }
        } catch {
            let text = "the streams of \(file.path) could not be identified"
            throw EngineError(error, .sourceNotMedia, text)
        }
    }

    /// The parameters that a decoder of the stream needs, as far as they are known now.
    ///
    /// - Parameter code: the code of the error if there is no such stream.
    package func parameters(
        of index: Int,
        orThrow code: EngineError.Code = .noPlayableStream
    ) throws(EngineError) -> CodecParameters {
        do throws(FFmpegError) {
            return try codecParameters(of: index)
        } catch {
            throw EngineError(error, code, "stream \(index) of \(file.path) cannot be decoded")
        }
    }

    func codecParameters(of index: Int) throws(FFmpegError) -> CodecParameters {
        if let list, index >= context.streamCount { return try list.parameters(of: index) }
        let parameters = try context.codecParameters(of: index)
        return try title?.completed(parameters, of: index, context.streamInfos()) ?? parameters
    }

    // MARK: Selecting streams

    /// Configures the demuxer for reading the packets of these streams for playback.
    package func prepareForPackets(of streams: Set<Int>) {
        if container.hasFramedPackets { disableParsing() }
        let needsOrder = container.isAVI || container.isElementary || countsPictures
        pictures.orderedStream =
            needsOrder ? context.streamInfos().first { streams.contains($0.index) && $0.kind == .video }?.index : nil
        keep(only: streams)
        hasJumped()
    }

    /// Configures a demuxer that was opened for walking: where the container has whole frames, only packet headers are
    /// read. Short packets keep their payload, from which the audio frames of a lace get their times.
    package func prepareForWalking(over streams: Set<Int>) {
        keep(only: streams)
        if container.hasFramedPackets {
            disableParsing()
            missing.selection.skipsPayload = true
            context.skipPayload()
        }
        restartLaces()
    }

    /// Reads only the packets of these streams from now on.
    package func keep(only streams: Set<Int>) {
        missing.selection.streams = streams
        if let list { list.keep(only: streams) } else { context.keep(only: streams) }
    }

    private func disableParsing() {
        missing.selection.isFramed = true
        context.disableParsing()
    }

    // MARK: Seeking

    /// Seeks to a byte of a container that can be read from anywhere.
    package func seek(byte position: Int64) throws(FFmpegError) {
        if let list { list.enter(ListPlace(position: position)) } else { try context.seek(byte: position) }
        hasJumped(to: position)
    }

    /// Seeks to the last random access point of `stream` at or before `timestamp`; in a list, to the segment that
    /// contains the time.
    ///
    /// - Parameter plan: known random access points, between which the map of a title is searched.
    /// - Returns: whether the map of a title led to the random access point, so that reading begins exactly there.
    @discardableResult package func seek(
        stream: Int,
        atOrBefore timestamp: Int64,
        knowing plan: SegmentPlan? = nil
    ) throws(FFmpegError) -> Bool {
        if let list {
            try reading { () throws(EngineError) in try list.enter(at: timestamp, of: stream) }
        } else if let position = try reading({ () throws(EngineError) in
            try title?.position(atOrBefore: timestamp, knowing: plan, bytes)
        }) {
            try seek(byte: position)
            return true
        } else {
            missing.keyframes.note(of: stream, atOrBefore: timestamp, in: &context)
            try reading { () throws(EngineError) in
                try missing.enterFragment(of: stream, atOrBefore: timestamp, in: &context, of: file, by: opening)
            }
            try context.seek(stream: stream, atOrBefore: timestamp)
        }
        hasJumped()
        return false
    }

    /// Moves to a boundary of a plan. Returns `false` when the demuxer cannot reach it.
    ///
    /// - Parameters:
    ///   - lead: the stream whose keyframe the boundary is.
    ///   - isIndexed: whether the container's own index contains the boundary.
    package func enter(_ boundary: Keyframe, lead: Int, isIndexed: Bool) throws(EngineError) -> Bool {
        do throws(FFmpegError) {
            if !isIndexed { note(boundary, of: lead) }
            try seek(to: boundary, lead: lead)
            return true
        } catch {
            try error.mustBeBad("seeking in \(file.path)")
            return false
        }
    }

    /// - Parameter lead: as in `enter`.
    func seek(to boundary: Keyframe, lead: Int) throws(FFmpegError) {
        guard !container.canStartAnywhere else {
            try seek(byte: boundary.position)
            pictures.counted?.enter(at: boundary)
            return
        }
        try openLink { (links, bytes) throws(EngineError) in try links.link(at: boundary.position, in: bytes) }
        try seek(stream: lead, atOrBefore: boundary.seekTimestamp)
    }

    /// Passes the position of a boundary that a scan has found to a Matroska demuxer. No effect on other demuxers.
    func note(_ boundary: Keyframe, of lead: Int) {
        guard container.isMatroska else { return }
        context.addIndexEntry(of: lead, timestamp: boundary.seekTimestamp, position: boundary.position)
    }

    /// Opens a link of chained Ogg, unless `find` returns none.
    ///
    /// - Returns: whether one was opened. The read position is at its start.
    @discardableResult private func openLink(
        _ find: (inout OggLinks, any ByteCursor) throws(EngineError) -> Range<Int64>?
    ) throws(FFmpegError) -> Bool {
        guard let part = try reading({ () throws(EngineError) in try find(&missing.links, bytes) }) else {
            return false
        }
        try reading { () throws(EngineError) in context = try opening.context(of: file, part: part) }
        try context.allowSeeks()
        missing.selection.apply(to: &context)
        restartLaces()
        return true
    }

    /// Moves the read position to the start, and selects the given streams.
    package func goToStart(of streams: Set<Int>) throws(EngineError) {
        if container.canStartAnywhere, try goToFirstByte() {
            keep(only: streams)
            return
        }
        try reopen()
        if container.hasFramedPackets { disableParsing() }
        keep(only: streams)
        hasJumped()
    }

    /// Returns `false` when the demuxer cannot seek there.
    private func goToFirstByte() throws(EngineError) -> Bool {
        do throws(FFmpegError) {
            try seek(byte: title?.sampledStart ?? 0)
            return true
        } catch {
            try error.mustBeBad("seeking in \(file.path)")
            return false
        }
    }

    /// Makes a demuxer that defers its index read it now. An index that cannot be read counts as missing.
    func loadIndex(of stream: Int) throws(EngineError) {
        do throws(FFmpegError) {
            try context.loadIndex(of: stream)
        } catch {
            try error.mustBeBad("opening \(file.path)")
        }
    }

    /// Resets clocks and parsers after a jump of the read position.
    ///
    /// - Parameter position: the byte at which reading continues, if the jump was to a byte.
    private func hasJumped(to position: Int64? = nil) {
        clocks.enter(at: position)
        passed = .none
        pictures.hasJumped(to: position, in: context, container)
        restartLaces()
    }

    /// Whether the times of pictures are completed by counting. They are then times of decoding.
    package var countsPictures: Bool { pictures.isCounting }

    private func restartLaces() {
        audio = AudioTimes(streams: streamInfos(), in: container, first: missing.links.firstStreams)
    }

    /// Skips the next Ogg page. A page states when its last packet ends; when its first packet begins is known only to
    /// a reader of the page before it (RFC 3533 §6).
    func skipPage() { passed = .next }

    // MARK: Reading

    /// Makes reading of text playlists end where no more text before `time` (from the start of the list) can follow, even
    /// if the source grows. After such an end, callers must seek before they read again. No effect on other sources.
    package func limitText(to time: MediaTime) { list?.limitText(to: time) }

    /// From here on, puts packets on the clock of a plan. Without effect if the source has its own clock.
    package func follow(_ plan: SegmentPlan) {
        guard !hasOwnClock else { return }
        clocks.follow(plan, context.streamInfos(), wraps: container.isMPEGTS)
        if container.isOgg { missing.links.follow(plan) }
    }

    /// As `SourceClocks.placed`.
    func placed(_ packet: Packet) -> Packet? { clocks.placed(packet) }

    /// The next packet of a kept stream, or `nil` at the end. Broken packets are skipped; after `brokenPacketLimit` of
    /// them in a row the file counts as ended.
    package func readPacket() throws(EngineError) -> Packet? {
        // libavformat itself notices an interruption only when it needs more bytes.
        if interrupt.isUp { throw EngineError(.cancelled, "reading \(file.path) was interrupted") }
        var broken = 0
        while broken < Self.brokenPacketLimit {
            do throws(FFmpegError) {
                guard let packet = try nextPacket() else { return nil }
                if passed.takes(packet) { continue }
                if let placed = placed(packet) { return placed }
            } catch {
                broken += 1
                try error.mustBeBad("reading \(file.path)")
            }
        }
        return nil
    }

    /// The first packets of a stream. Afterwards the read position is the start of the source.
    package func firstPackets(of stream: Int, count: Int) throws(EngineError) -> [Packet] {
        try goToStart(of: [stream])
        var found: [Packet] = []
        while found.count < count, let packet = try readPacket() {
            if packet.streamIndex == stream { found.append(packet) }
        }
        try goToStart(of: [stream])
        return found
    }

    private func nextPacket() throws(FFmpegError) -> Packet? {
        guard var join = pictures.fields else { return try nextPiece() }
        defer { pictures.fields = join }
        return try join.next { () throws(FFmpegError) in try nextPiece() }
    }

    private func nextPiece() throws(FFmpegError) -> Packet? {
        if let orderedStream = pictures.orderedStream, let parser = pictures.parser {
            return try context.readPacket(ordering: orderedStream, by: parser).map { pictures.timed($0) }
        }
        while let packet = try readRaw() {
            if let completed = audio.completed(pictures.timed(packet)) { return completed }
        }
        return nil
    }

    private func readRaw() throws(FFmpegError) -> Packet? {
        guard let list else { return try readTitle() }
        return try reading { () throws(EngineError) in try list.readPacket() }
    }

    /// The next packet of a container; in a disc's title, the next packet that the title presents.
    private func readTitle() throws(FFmpegError) -> Packet? {
        repeat {
            while let packet = try context.readPacket() {
                if let presented = clocks.presented(packet) { return presented.moved(byBytes: missing.links.start) }
            }
        } while try openLink { (links, bytes) throws(EngineError) in try links.next(in: bytes) }
        return nil
    }

    /// Runs code that reads the source without libavformat, and converts its errors to those of libavformat.
    private func reading<Value>(_ body: () throws(EngineError) -> Value) throws(FFmpegError) -> Value {
        do throws(EngineError) { return try body() } catch { throw FFmpegError(reading: error) }
    }
}

/// What leads to random access points where the container's own index is missing.
private struct MissingIndex {
    var keyframes: MissingKeyframes
    /// `nil` for sources that are not as `FollowedFragments` describes, and once the demuxer has all fragments.
    var fragments: FollowedFragments?
    /// How the demuxer is configured.
    var selection = FollowedFragments.Selection()
    var links = OggLinks()

    /// Opens an MP4 file again as in `FollowedFragments`, at the fragment with the random access point; no effect
    /// otherwise.
    mutating func enterFragment(
        of stream: Int,
        atOrBefore timestamp: Int64,
        in context: inout FormatContext,
        of file: any ByteSource,
        by opening: SourceOpening
    ) throws(EngineError) {
        guard let entry = try fragments?.entry(of: stream, atOrBefore: timestamp) else { return }
        if case .listed = entry { fragments = nil }
        context = try opening.context(of: file, fragments: entry)
        selection.apply(to: &context)
    }
}

/// The Ogg page whose packets are skipped.
private enum SkippedPage {
    case none
    /// The page that contains the next packet.
    case next
    /// The page that begins at this byte of the file.
    case at(Int64)

    /// Whether a packet belongs to the page.
    mutating func takes(_ packet: Packet) -> Bool {
        switch self {
        case .none: return false
        case .next:
            guard let position = packet.position else { return true }
            self = .at(position)
            return true
        case .at(let position):
            if packet.position == position || packet.position == nil { return true }
            self = .none
            return false
        }
    }
}
