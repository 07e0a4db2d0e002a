// SPDX-License-Identifier: Apache-2.0

import EngineModel

extension AudioSetup {
    /// Entry `alac`, with a box of the same name that holds ALACSpecificConfig (Apple Lossless Audio Codec, "magic
    /// cookie").
    ///
    /// Extradata is its 24 bytes, or the whole box including its twelve-byte header.
    static func alac(_ evidence: StreamEvidence) throws(PackagingError) -> TrackSetup {
        guard !evidence.extradata.isEmpty else {
            throw PackagingError(.missingConfiguration, "ALAC has no configuration")
        }
        var reader = ByteReader(evidence.extradata, subject: "ALAC configuration")
        if evidence.extradata.dropFirst(4).starts(with: "alac".utf8) { try reader.skip(12) }
        let bytes = try reader.take(24)
        var fields = ByteReader(bytes, subject: "ALAC configuration")
        let frameLength = Int(try fields.uint32())
        try fields.skip(1)
        let bitDepth = Int(try fields.byte())
        try fields.skip(3)
        let channels = Int(try fields.byte())
        try fields.skip(2 + 4 + 4)
        let sampleRate = Int(try fields.uint32())
        guard (1...1 << 20).contains(frameLength), (1...8).contains(channels), (1...1 << 22).contains(sampleRate) else {
            throw PackagingError(
                .malformed,
                "ALAC: invalid format: \(channels) channels at \(sampleRate) Hz in frames of \(frameLength)"
            )
        }
        return setup(
            evidence,
            configuration: bytes,
            codecString: CodecString.alac,
            sampleRate: sampleRate,
            channels: channels,
            samplesPerFrame: frameLength,
            bitDepth: bitDepth
        )
    }
}
