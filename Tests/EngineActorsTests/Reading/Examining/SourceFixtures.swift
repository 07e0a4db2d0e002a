// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging

@testable import Bindings
@testable import Reading

// Streams and tracks of sources that do not exist as files.

extension StreamInfo {
    static func fixture(
        _ index: Int,
        _ codec: CodecID,
        base: TimeBase = TimeBase(1, 1000),
        extradata: [UInt8] = [],
        padding: Int64 = 0
    ) -> StreamInfo {
        StreamInfo(
            index: index,
            identifier: index,
            codec: codec,
            kind: StreamDescription.fixture(index, codec).kind,
            timeBase: base,
            extradata: extradata,
            initialPadding: padding,
            frameLength: 0,
            startTime: nil,
            duration: nil,
            width: 0,
            height: 0
        )
    }
}

extension StreamDescription {
    private static let videos: Set<String> = [
        "h264", "hevc", "av1", "vp9", "mpeg1video", "mpeg2video", "mpeg4", "no_video",
    ]

    /// A stream whose kind follows from its codec.
    static func fixture(_ index: Int, _ codec: CodecID) -> StreamDescription {
        var stream = StreamDescription()
        stream.index = index
        stream.codec = codec
        switch codec.rawValue {
        case "subrip": stream.kind = .subtitle
        case "png": stream.kind = .coverArt
        case let name where videos.contains(name):
            stream.kind = .video
            var video = VideoProperties()
            (video.width, video.height, video.frameRate) = (320, 240, Ratio(25, 1))
            stream.video = video
        default:
            stream.kind = .audio
            var audio = AudioProperties()
            (audio.sampleRate, audio.channels) = (48_000, 2)
            stream.audio = audio
        }
        return stream
    }
}

extension MediaDescription {
    static func fixture(_ streams: [StreamDescription]) -> MediaDescription {
        var media = MediaDescription()
        media.streams = streams
        return media
    }
}

/// Packets of VP9, whose headers are short.
enum VP9Fixture {
    /// A keyframe of 320x240 (VP9 bitstream specification, 6.2).
    static let keyframe: [UInt8] = [0x82, 0x49, 0x83, 0x42, 0x40, 0x13, 0xF0, 0x0E, 0xF0, 0, 0, 0]
    /// A frame that refers to other frames.
    static let frame: [UInt8] = [0x86, 0, 0, 0]
}

extension ListedVideo {
    /// Video of stream 0 that begins with a keyframe of VP9, and is presented at `times`, in milliseconds, on a clock of
    /// its own.
    static func fixture(
        _ codec: CodecID = .vp9,
        group: Int = 1,
        times: [Int64] = [90_000, 90_040, 90_080],
        start: MediaTime = .seconds(8)
    ) -> ListedVideo {
        let packets = times.enumerated().map { place, time in
            Packet(
                place == 0 ? VP9Fixture.keyframe : VP9Fixture.frame,
                stream: 0,
                pts: time,
                dts: 90_000 + Int64(place) * 40,
                duration: 40,
                flags: place == 0 ? .key : []
            )
        }
        var description = StreamDescription.fixture(0, codec)
        description.video?.frameRate = nil
        return ListedVideo(.fixture(0, codec), description, CodecParameters(), packets, start: start, group: group)
    }
}

extension PlayedTrack {
    /// A served track whose first packets are at `times`, in milliseconds.
    static func fixture(
        _ codec: CodecID = .vp9,
        stream: Int = 0,
        times: [Int64] = [0, 40, 80],
        container: String = "matroska,webm",
        origin: TimelineOrigin = .zero
    ) -> PlayedTrack {
        var description = StreamDescription.fixture(stream, codec)
        description.route = .remux("remuxed")
        var track = Track(codec: codec, timescale: codec == .aac ? 48_000 : 1000)
        track.video = description.video
        track.audio = description.audio
        let draft = TrackDraft(
            info: .fixture(stream, codec),
            description: description,
            setup: TrackSetup(track: track, transform: .unchanged),
            bridge: nil
        )
        let packets = times.map { Packet([1], stream: stream, pts: $0, dts: $0, duration: 40) }
        let placement = TrackPlacement(
            draft,
            packets,
            in: ContainerFormat(name: container),
            origin: origin,
            startsMidTimeline: false
        )
        return PlayedTrack(draft, placement, companion: nil, in: ContainerFormat(name: container))
    }
}
