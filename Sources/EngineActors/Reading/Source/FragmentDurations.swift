// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// How long the tracks of an MP4 file last, judging by its first and last fragments (ISO/IEC 14496-12 §8.8), for a file
/// on disk with an index of all fragments (`sidx`). libavformat takes the durations from such an index, whatever it
/// states, and bit rates from the only fragment that it has read.
struct FragmentDurations {
    /// An index whose durations differ by at most this much is right: it may leave out edit lists and priming.
    private static let tolerance = MediaTime.seconds(1)

    /// By track ID, in ticks of the track.
    private let durations: [UInt32: Int64]

    /// Returns `nil` for any other source, and if the fragments cannot be read or do not state their times.
    init?(of file: any ByteSource, _ interrupt: InterruptFlag) {
        guard !file.isRemote, file.growth == nil else { return nil }
        let bytes = file.cursor(interrupt)
        do throws(EngineError) {
            guard let head = try TopLevelBoxes(bytes).fragmentedHead(), head.isListed,
                let movie = FragmentedMovie(movie: head.movie), let first = MovieFragment(head.fragment, of: movie)
            else { return nil }
            var search = FragmentSearch(of: movie, from: head.movieEnd, byteCount: file.byteCount)
            let ends = try search.ends { (offset, count) throws(EngineError) in
                try bytes.read(at: offset, count: count)
            }
            durations = ends.reduce(into: [:]) { durations, end in
                durations[end.key] = first.start(ofTrack: end.key).map { end.value &- $0 }
            }
        } catch {
            // The next read will fail in the same way and report the error.
            return nil
        }
    }

    /// The description without the bit rates of streams, and with the right durations if the index contradicts the
    /// fragments.
    ///
    /// - Parameter streams: the streams of the demuxer.
    func corrected(_ media: MediaDescription, _ streams: [StreamInfo]) -> MediaDescription {
        var media = media
        var extent = StreamExtent()
        var isWrong = false
        for info in streams where media.streams.indices.contains(info.index) {
            media.streams[info.index].bitRate = 0
            let stated = media.streams[info.index].duration
            if let found = UInt32(exactly: info.identifier).flatMap({ durations[$0] }) {
                let found = MediaTime(found, in: info.timeBase)
                if let stated, max(stated, found) - min(stated, found) > Self.tolerance {
                    media.streams[info.index].duration = found
                    isWrong = true
                }
            }
            extent.add(info, lasting: media.streams[info.index].duration)
        }
        guard isWrong else { return media }
        media.duration = extent.duration
        media.bitRate = 0
        return media
    }
}
