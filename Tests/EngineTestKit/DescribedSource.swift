// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
package import Packaging

@testable package import Bindings
@testable package import Reading

/// A source without media, for code that sorts, packs and plans packets without reading any. The time base of its
/// streams is 1 ms. Stream 0 is H.264 video; stream 1 is audio with frames of 20 ms.
package struct DescribedSource {
    package var container = "mpegts"
    /// `nil`: the Swift file of this type, which is never read.
    package var file: (any ByteSource)?
    /// Whether the video has segments.
    package var isServed = true
    package var timing = PlayedTrack.Timing.presentation
    /// How far decoding of the video precedes presentation, in milliseconds.
    package var delay: Int64 = 0
    package var hasVideo = true
    package var hasAudio = false
    package var transform = SampleTransform.unchanged

    package init() {}

    /// A plan with a boundary every `length` milliseconds. In the file, boundaries are 1 MiB apart.
    package static func plan(segments: Int, of length: Int64 = 10_000, isComplete: Bool = true) -> SegmentPlan {
        SegmentPlan(
            timeBase: TimeBase(1, 1000),
            boundaries: (0..<segments).map { number in
                let time = Int64(number) * length
                return Keyframe(time: time, seekTimestamp: time, position: Int64(number) << 20)
            },
            end: isComplete ? Int64(segments) * length : nil,
            origin: .index
        )
    }

    package func opened() throws -> OpenedSource {
        var media = MediaDescription()
        media.streams = (0...1).map { index in
            var stream = StreamDescription()
            stream.index = index
            return stream
        }
        let tracks = (hasVideo ? [track(0, .video)] : []) + (hasAudio ? [track(1, .audio)] : [])
        return OpenedSource(
            file: try file ?? RegularFile(path: #filePath),
            container: ContainerFormat(name: container),
            edits: .any,
            media: media,
            tracks: tracks,
            origin: .zero,
            indexPlan: nil,
            trackEnds: tracks.map { _ in nil },
            notices: []
        )
    }

    private func track(_ index: Int, _ kind: PlayedTrack.Kind) -> PlayedTrack {
        let base = TimeBase(1, 1000)
        let isVideo = kind == .video
        var track = Track(codec: isVideo ? .h264 : .aac, timescale: 1000)
        if isVideo { track.video = VideoProperties() } else { track.audio = AudioProperties() }
        return PlayedTrack(
            stream: StreamInfo(
                index: index,
                identifier: index,
                codec: track.codec,
                kind: isVideo ? .video : .audio,
                timeBase: base,
                extradata: [],
                initialPadding: 0,
                frameLength: 0,
                startTime: nil,
                duration: nil,
                width: 0,
                height: 0
            ),
            kind: kind,
            isServed: isServed,
            timing: isVideo ? timing : .presentation,
            track: track,
            transform: isVideo ? transform : .unchanged,
            origin: 0,
            lead: 0,
            delay: isVideo ? delay : 0,
            nominalDuration: isVideo ? 40 : 20,
            grid: AudioGrid(source: base, sampleRate: 1000, origin: 0, firstTime: 0, frameLength: isVideo ? nil : 20),
            bridge: nil,
            videoBridge: nil,
            language: "",
            name: "",
            isDefault: true,
            bitRate: 0,
            companion: nil
        )
    }
}
