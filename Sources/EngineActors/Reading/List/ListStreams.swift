// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// The streams of a list, numbered as in the source, and how the streams of the open segment map to them. Pure.
struct ListStreams {
    /// The stream of the source to which one stream of a segment belongs.
    struct Target: Hashable {
        let stream: Int
        let base: TimeBase
        let ownBase: TimeBase
        let isVideo: Bool
        var isAudio = false
        /// For audio: the codec of the segment's stream, if its family is not that of the list's codec. `nil` too if
        /// the segment does not reveal it.
        var otherCodec: CodecID?
        /// For video: the codec of the segment's stream. `nil` if the segment does not reveal it.
        var videoCodec: CodecID?
    }

    /// A segment has video that cannot be that of its group of segments.
    struct OtherVideo: Error, Hashable {
        let expected: CodecID
        let found: CodecID
    }

    private let known: [StreamInfo]
    private var kept: Set<Int>
    /// By the index of the stream in the open segment.
    private var targets: [Int: Target] = [:]

    init(_ known: [StreamInfo]) {
        self.known = known
        kept = Set(known.map(\.index))
    }

    /// Whether packets of any stream are wanted.
    var isRead: Bool { !kept.isEmpty }

    /// `nil` if the list has no such stream.
    func timeBase(of stream: Int) -> TimeBase? { known.first { $0.index == stream }?.timeBase }

    /// `nil` if the list has no such stream.
    func codec(of stream: Int) -> CodecID? { known.first { $0.index == stream }?.codec }

    func keeps(_ stream: Int) -> Bool { kept.contains(stream) }

    mutating func keep(only streams: Set<Int>) { kept = Set(known.map(\.index)).intersection(streams) }

    /// Assigns the streams of a newly opened segment to those of the list.
    ///
    /// - Throws: `OtherVideo` if the segment has video, but none for the video stream of the list. Without the error,
    ///   the segment's video would be dropped silently.
    mutating func match(_ found: [StreamInfo]) throws(OtherVideo) {
        let places = StreamMatch.places(of: found.map { .init($0) }, in: known.map { .init($0) })
        targets = [:]
        for (info, place) in zip(found, places) {
            guard let stream = place.map({ known[$0] }) else { continue }
            targets[info.index] = Target(
                stream: stream.index,
                base: stream.timeBase,
                ownBase: info.timeBase,
                isVideo: stream.kind == .video,
                isAudio: stream.kind == .audio,
                otherCodec: info.kind == .audio && info.codec.family != stream.codec.family ? info.codec : nil,
                videoCodec: info.kind == .video && info.codec.isIdentified ? info.codec : nil
            )
        }
        guard let video,
            let other = found.first(where: { $0.kind == .video && targets[$0.index] == nil }),
            !targets.values.contains(where: { $0.stream == video.index })
        else { return }
        throw OtherVideo(expected: video.codec, found: other.codec)
    }

    /// Checks that the video of the open segment has the codec of its group. A decoder or a player that is set up for
    /// the group would otherwise get other packets.
    ///
    /// - Parameter codec: the codec of the group's video; `nil` if it is that of the list.
    func checkVideo(of codec: CodecID?) throws(OtherVideo) {
        guard let video = targets.values.first(where: { $0.stream == video?.index }), let found = video.videoCodec,
            let expected = codec ?? self.codec(of: video.stream), expected.isIdentified, found != expected
        else { return }
        throw OtherVideo(expected: expected, found: found)
    }

    /// The video stream of the list.
    var video: StreamInfo? { known.first { $0.kind == .video } }

    /// The numbers of the audio streams of the list.
    var audioStreams: Set<Int> { Set(known.filter { $0.kind == .audio }.map(\.index)) }

    /// Where the audio streams of the open segment belong, by their indexes in the segment, whether or not their
    /// packets are wanted.
    var audio: [Int: Target] { targets.filter(\.value.isAudio) }

    /// The streams of the open segment whose packets are wanted.
    var wanted: Set<Int> { Set(targets.filter { kept.contains($0.value.stream) }.keys) }

    /// The target of the packets of a stream of the open segment; `nil` if they are not wanted.
    func target(of stream: Int) -> Target? {
        guard let target = targets[stream], kept.contains(target.stream) else { return nil }
        return target
    }
}
