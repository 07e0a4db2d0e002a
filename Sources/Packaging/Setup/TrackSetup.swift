// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Everything a producer needs to turn one stream's packets into a track.
package struct TrackSetup: Hashable, Sendable {
    /// Configuration, CODECS string and properties are set; the caller sets `mediaTimeOffset`.
    package var track: Track
    package private(set) var transform: SampleTransform
    /// The largest number of frames by which decoding order can be ahead of presentation order. 0 for audio.
    package let reorderDepth: Int
    /// Samples per packet, counted at `codedSampleRate`. `nil` for video, and if packets vary (FLAC, Opus).
    package let samplesPerFrame: Int?
    /// The rate at which `samplesPerFrame` counts: for HE-AAC the core's rate, half the output rate. 0 for video.
    package let codedSampleRate: Int
    /// Dolby Vision's second layer, which is never served.
    package private(set) var secondLayer: SecondLayer?
    /// Contradictions between bitstream and container, and impossible values.
    package let notices: [Notice]

    package init(
        track: Track,
        transform: SampleTransform,
        reorderDepth: Int = 0,
        samplesPerFrame: Int? = nil,
        codedSampleRate: Int = 0,
        notices: [Notice] = []
    ) {
        self.track = track
        self.transform = transform
        self.reorderDepth = reorderDepth
        self.samplesPerFrame = samplesPerFrame
        self.codedSampleRate = codedSampleRate
        self.notices = notices
    }

    package var codecString: String { track.codecString }

    /// Whether `transform` can convert Dolby Vision 7 to 8.1.
    package var canConvertDolbyVision: Bool { secondLayer?.source.metadata != nil }

    /// The duration of every packet in the track's ticks, if it is constant and a whole number of ticks.
    package var ticksPerFrame: UInt32? {
        guard let samplesPerFrame, codedSampleRate > 0 else { return nil }
        let scaled = samplesPerFrame.multipliedReportingOverflow(by: Int(track.timescale))
        guard !scaled.overflow, scaled.partialValue % codedSampleRate == 0 else { return nil }
        return UInt32(exactly: scaled.partialValue / codedSampleRate)
    }
}

/// The known properties of a stream before it becomes a track.
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
    /// Looks for a second layer. If there is one, the video is profile 7, whatever the container declares.
    ///
    /// - Parameters:
    ///   - packets: complete, starting at a random access point.
    ///   - other: the layer found in another track. A layer in the video track takes precedence.
    package mutating func findSecondLayer(
        in packets: [[UInt8]],
        declared: DolbyVisionConfiguration?,
        beside other: SecondLayer?
    ) {
        guard track.codec == .hevc, let framing = transform.framing, let video = track.video else { return }
        let own = DolbyVisionSource(packets: packets, framing: framing, declared: declared)
        secondLayer = own.metadata == nil && other != nil ? other : SecondLayer(source: own)
        guard let source = secondLayer?.source else { return }
        let record = source.configuration(of: video)
        track.video?.dolbyVision = record
        track.video?.sourceVideoFormat = record.format
    }

    /// Removes the second layer from the samples. If the player gets no Dolby Vision, the result is HDR10.
    mutating func leaveOutSecondLayer(for delivery: DolbyVisionDelivery) {
        guard let secondLayer, let framing = transform.framing else { return }
        var target = DolbyVisionPacking.Target.baseLayer
        if case .converted = delivery { target = .profile8 }
        transform = .dolbyVision(
            DolbyVisionPacking(framing: framing, target: target, companion: secondLayer.companion)
        )
    }
}
