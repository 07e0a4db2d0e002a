// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Finds the fragments of an MP4 file that is on a server and has no index of them (ISO/IEC 14496-12 §8.8). libavformat
/// would read the headers of all fragments when it opens the file, which costs a request for each fragment. Instead,
/// libavformat is made to read each fragment only when reading reaches it. A seek opens the file again, without the
/// fragments before the wanted one.
///
/// Not thread-safe: owned by one reader.
struct FollowedFragments {
    /// The configuration of the demuxer, which is applied again after a seek has opened the source again.
    struct Selection {
        /// `nil`: all streams.
        var streams: Set<Int>?
        var isFramed = false
        var skipsPayload = false

        func apply(to context: inout FormatContext) {
            if isFramed { context.disableParsing() }
            if skipsPayload { context.skipPayload() }
            if let streams { context.keep(only: streams) }
        }
    }

    /// A stream's track ID, and by how many ticks libavformat's decode times are below those in the fragments, because
    /// of the edit list.
    private struct Track {
        var identifier: UInt32
        var delay: Int64
    }

    /// Files of at most this many bytes are opened with all fragments: a few requests fetch them, and more is known
    /// about the streams.
    private static let smallestByteCount: Int64 = 4 << 20

    /// Small reads of a source on a server. Not thread-safe.
    private final class Excerpts {
        /// The minimum length of a read. So many bytes hold several small fragments, and take hardly longer to arrive
        /// than one header.
        private static let byteCount = 32 << 10

        private let bytes: any ByteCursor
        private var start: Int64 = 0
        private var last: [UInt8] = []

        init(of bytes: any ByteCursor) { self.bytes = bytes }

        func read(_ offset: Int64, _ count: Int) throws(EngineError) -> [UInt8] {
            if offset < start || offset + Int64(count) > start + Int64(last.count) {
                let wanted = offset..<offset + Int64(max(count, Self.byteCount))
                // Without this, the source would read ahead.
                bytes.expect([wanted])
                last = try bytes.read(at: offset, count: wanted.count)
                start = offset
            }
            let place = Int(offset - start)
            return Array(last[place..<min(place + count, last.count)])
        }
    }

    private let bytes: Excerpts
    /// The end of the `moov` box.
    private let start: Int64
    private let first: MovieFragment
    private var search: FragmentSearch
    /// By stream index; only video and audio with samples in the first fragment.
    private var tracks: [Int: Track] = [:]
    /// When each track ends, by track ID, in ticks of the track. `nil` until the end of the file has been read.
    private var ends: [UInt32: Int64]?

    /// Returns `nil` if the source is not such a file, is small or still growing, or if libavformat must read all of
    /// its fragments.
    ///
    /// It must read all of them if a track has negative composition offsets, on which the times of the whole track
    /// depend (`MovieFragment.hasSignedOffsets`), or if a fragment does not state its decode times
    /// (`MovieFragment.isPlaced`), which then follow from the fragments before it. Only the first fragment is checked
    /// here.
    init?(of file: any ByteSource, _ reading: SourceReading, _ interrupt: InterruptFlag) throws(EngineError) {
        guard case .container = reading, file.isRemote, file.growth == nil, file.byteCount > Self.smallestByteCount
        else {
            return nil
        }
        let bytes = file.cursor(interrupt)
        guard let head = try TopLevelBoxes(bytes).fragmentedHead(), !head.isListed,
            let movie = FragmentedMovie(movie: head.movie),
            let first = MovieFragment(head.fragment, of: movie), first.isPlaced, !first.hasSignedOffsets
        else { return nil }
        self.bytes = Excerpts(of: bytes)
        self.first = first
        start = head.movieEnd
        search = FragmentSearch(of: movie, from: start, byteCount: file.byteCount)
    }

    /// Learns the clocks of the streams from a context that has just read the first fragment.
    mutating func learn(from context: borrowing FormatContext) {
        // Other streams are not needed, because readers seek by the leading stream; they may have samples in few
        // fragments.
        for info in context.streamInfos() where info.kind == .video || info.kind == .audio {
            guard let identifier = UInt32(exactly: info.identifier), let time = first.start(ofTrack: identifier),
                let entry = context.indexEntries(of: info.index, first: 1).first
            else { continue }
            tracks[info.index] = Track(identifier: identifier, delay: time &- entry.timestamp)
        }
    }

    /// How the source must be opened for a seek to the last random access point of a stream at or before a time:
    /// `followed`, from its start, if there is none; `listed` if it can be found only with all fragments. After
    /// `listed`, the caller must not ask again, because the demuxer has all fragments.
    ///
    /// - Parameter timestamp: a decode time of libavformat, in ticks of the stream.
    mutating func entry(of stream: Int, atOrBefore timestamp: Int64) throws(EngineError) -> FragmentAccess {
        guard let track = tracks[stream] else { return .listed }
        let bytes = bytes
        let found = try search.fragment(of: track.identifier, atOrBefore: timestamp &+ track.delay) {
            (offset, count) throws(EngineError) in try bytes.read(offset, count)
        }
        if search.hasUnplacedFragments { return .listed }
        guard let found else { return .followed }
        return .entered(at: found, skippingFrom: start)
    }

    /// Corrects a description that a demuxer has made from the first fragment: the durations, the bit rate, and frame
    /// rates that are guesses.
    ///
    /// - Parameter streams: the streams of the demuxer.
    mutating func completed(_ media: MediaDescription, _ streams: [StreamInfo]) -> MediaDescription {
        var media = media
        let ends = lastTimes()
        var extent = StreamExtent()
        for info in streams where media.streams.indices.contains(info.index) {
            let end = UInt32(exactly: info.identifier).flatMap { ends[$0] }
            media.streams[info.index].duration = end.map { MediaTime($0, in: info.timeBase) }
            // libavformat has guessed the frame rate from few packets.
            if tracks[info.index] == nil { media.streams[info.index].video?.frameRate = nil }
            extent.add(info, lasting: media.streams[info.index].duration)
        }
        guard media.duration != nil else { return media }
        media.duration = extent.duration
        // libavformat computes the bit rate from the wrong duration; 0 means unknown.
        media.bitRate = 0
        return media
    }

    private mutating func lastTimes() -> [UInt32: Int64] {
        if let ends { return ends }
        do throws(EngineError) {
            let bytes = bytes
            let found = try search.ends { (offset, count) throws(EngineError) in try bytes.read(offset, count) }
            ends = found
            return found
        } catch {
            // The next read will fail in the same way and report the error.
            return [:]
        }
    }
}
