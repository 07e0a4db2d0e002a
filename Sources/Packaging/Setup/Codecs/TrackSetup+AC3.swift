// SPDX-License-Identifier: Apache-2.0

import EngineModel

extension TrackSetup {
    /// Entry `ac-3`. Every frame carries the configuration, so it is read from the first readable packet.
    static func ac3(_ evidence: StreamEvidence) throws(PackagingError) -> TrackSetup {
        let frame = try firstReadable(evidence, AC3Frame.init)
        return setup(
            evidence,
            configuration: frame.specificBox,
            codecString: CodecString.ac3,
            sampleRate: frame.sampleRate,
            channels: frame.channels,
            samplesPerFrame: AC3Frame.samplesPerFrame
        )
    }

    /// Entry `ec-3`. The box describes the first packets together, because objects may start a few packets in.
    static func eac3(_ evidence: StreamEvidence) throws(PackagingError) -> TrackSetup {
        let first = try firstReadable(evidence, EAC3AccessUnit.init)
        let units = evidence.firstPackets.compactMap { try? EAC3AccessUnit($0) }
        let unit = units.first { $0.objectComplexity != nil } ?? first
        var result = setup(
            evidence,
            configuration: unit.specificBox,
            codecString: CodecString.eac3,
            sampleRate: unit.sampleRate,
            channels: unit.channels,
            samplesPerFrame: units.allSatisfy { $0.sampleCount == first.sampleCount } ? first.sampleCount : nil
        )
        let declared = evidence.audio.channels
        if declared > 0, declared != unit.channels {
            let text =
                "the container declares \(declared) channels, the E-AC-3 stream has \(unit.channels) and is used"
            result.notices.append(Notice(.warning, "audio.container_contradicted", text))
        }
        result.track.audio?.objects = unit.objectComplexity.map { .dolbyAtmos(complexity: $0) }
        return result
    }

    /// The result of `read` for the first packet that it accepts. If there is none, throws the last error.
    static func firstReadable<Frame>(
        _ evidence: StreamEvidence,
        _ read: ([UInt8]) throws(PackagingError) -> Frame
    ) throws(PackagingError) -> Frame {
        var failure = PackagingError(
            .missingConfiguration,
            "there are no \(evidence.codec.rawValue) packets to read the configuration from"
        )
        for packet in evidence.firstPackets {
            do { return try read(packet) } catch { failure = error }
        }
        throw failure
    }

    /// An audio track whose packets are written unchanged.
    static func setup(
        _ evidence: StreamEvidence,
        configuration: [UInt8],
        codecString: String,
        sampleRate: Int,
        channels: Int,
        samplesPerFrame: Int?,
        bitDepth: Int? = nil
    ) -> TrackSetup {
        var track = evidence.track()
        track.configuration = configuration
        track.codecString = codecString
        var audio = evidence.audio
        audio.sampleRate = sampleRate
        audio.channels = channels
        if let bitDepth { audio.bitDepth = bitDepth }
        track.audio = audio
        var setup = TrackSetup(track: track, transform: .unchanged)
        setup.samplesPerFrame = samplesPerFrame
        setup.codedSampleRate = sampleRate
        return setup
    }
}
