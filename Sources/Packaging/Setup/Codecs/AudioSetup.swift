// SPDX-License-Identifier: Apache-2.0

import EngineModel

/// Turns audio streams into tracks: one function for each codec, in a file of its own.
enum AudioSetup {
    static func setup(of evidence: StreamEvidence) throws(PackagingError) -> TrackSetup? {
        switch evidence.codec {
        case .aac: try aac(evidence)
        case .ac3: try ac3(evidence)
        case .eac3: try eac3(evidence)
        case .flac: try flac(evidence)
        case .alac: try alac(evidence)
        case .opus: try opus(evidence)
        case .mp3: try mp3(evidence)
        default: nil
        }
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
        bitDepth: Int? = nil,
        notices: [Notice] = []
    ) -> TrackSetup {
        var track = evidence.track()
        track.configuration = configuration
        track.codecString = codecString
        var audio = evidence.audio
        audio.sampleRate = sampleRate
        audio.channels = channels
        if let bitDepth { audio.bitDepth = bitDepth }
        track.audio = audio
        return TrackSetup(
            track: track,
            transform: .unchanged,
            samplesPerFrame: samplesPerFrame,
            codedSampleRate: sampleRate,
            notices: notices
        )
    }
}
