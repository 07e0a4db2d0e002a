// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Everything a producer needs to turn one stream's packets into a track.
package struct TrackSetup: Hashable, Sendable {
    /// Configuration, CODECS string and properties are set; the caller sets `mediaTimeOffset`.
    package var track: Track
    package var transform: SampleTransform
    /// The largest number of frames that decoding order can be ahead of presentation order. 0 for audio.
    package var reorderDepth = 0
    /// Samples per packet, counted at `codedSampleRate`. `nil` for video, and if packets vary (FLAC, Opus).
    package var samplesPerFrame: Int?
    /// The rate at which `samplesPerFrame` counts: for HE-AAC the core's rate, half the output rate. 0 for video.
    package var codedSampleRate = 0

    /// Whether `transform` can convert Dolby Vision 7 to 8.1.
    package var canConvertDolbyVision = false
    /// Dolby Vision's second layer, which is never served.
    package var secondLayer: SecondLayer?
    /// Contradictions between bitstream and container, and impossible values.
    package var notices: [Notice] = []

    package init(track: Track, transform: SampleTransform) {
        self.track = track
        self.transform = transform
    }

    package var codecString: String { track.codecString }

    /// The duration of every packet in the track's ticks, if it is constant and a whole number of ticks.
    package var ticksPerFrame: UInt32? {
        guard let samplesPerFrame, codedSampleRate > 0 else { return nil }
        let scaled = samplesPerFrame.multipliedReportingOverflow(by: Int(track.timescale))
        guard !scaled.overflow, scaled.partialValue % codedSampleRate == 0 else { return nil }
        return UInt32(exactly: scaled.partialValue / codedSampleRate)
    }
}

/// What is known about a stream before it becomes a track.
struct StreamEvidence {
    var codec: CodecID
    var timescale: UInt32
    var extradata: [UInt8]
    /// Complete packets in decoding order, starting at a random access point. May be empty.
    var firstPackets: [[UInt8]]
    var video: VideoProperties
    var audio: AudioProperties
    var language: String

    /// A track with the container's properties; the codec's part is still missing.
    func track() -> Track {
        var track = Track(codec: codec, timescale: timescale)
        track.language = language
        return track
    }
}

extension TrackSetup {
    /// The number of packets searched for configuration.
    static let packetLimit = 64
    /// Extradata longer than this is considered garbage.
    static let extradataLimit = 1 << 20

    /// Determines how a stream is written as a track.
    ///
    /// - Parameters:
    ///   - timescale: ticks per second of the new track, above 0.
    ///   - extradata: the container's codec private data; empty if there is none.
    ///   - firstPackets: the stream's first packets, each complete, starting at a random access point. A few are
    ///     enough; needed if the configuration is in band or the framing is uncertain.
    ///   - video, audio: the container's properties; the bitstream completes them.
    /// - Throws: `unsupportedCodec` for an unsupported codec; `missingConfiguration` if more packets may help.
    package static func resolve(
        codec: CodecID,
        timescale: UInt32,
        extradata: [UInt8],
        firstPackets: [[UInt8]],
        video: VideoProperties?,
        audio: AudioProperties?,
        language: String
    ) throws(PackagingError) -> TrackSetup {
        guard timescale > 0 else { throw PackagingError(.malformed, "a track's timescale must be above zero") }
        guard extradata.count <= extradataLimit else {
            throw PackagingError(.limitExceeded, "the codec private data is too large: \(extradata.count) bytes")
        }
        let evidence = StreamEvidence(
            codec: codec,
            timescale: timescale,
            extradata: extradata,
            firstPackets: Array(firstPackets.prefix(packetLimit)),
            video: video ?? VideoProperties(),
            audio: audio ?? AudioProperties(),
            language: language
        )
        var setup = try setup(of: evidence)
        // A layout name for a different number of channels is meaningless.
        if let found = setup.track.audio?.channels, found != evidence.audio.channels {
            setup.track.audio?.channelLayout = ""
        }
        return setup
    }

    private static func setup(of evidence: StreamEvidence) throws(PackagingError) -> TrackSetup {
        switch evidence.codec {
        case .h264: try h264(evidence).completed(evidence)
        case .hevc: try hevc(evidence).completed(evidence)
        case .av1: try av1(evidence).completed(evidence)
        case .vp9: try vp9(evidence).completed(evidence)
        case .aac: try aac(evidence)
        case .ac3: try ac3(evidence)
        case .eac3: try eac3(evidence)
        case .flac: try flac(evidence)
        case .alac: try alac(evidence)
        case .opus: try opus(evidence)
        case .mp3: try mp3(evidence)
        default:
            throw PackagingError(
                .unsupportedCodec,
                "packaging \(evidence.codec.rawValue) in fMP4 is not supported"
            )
        }
    }
}
