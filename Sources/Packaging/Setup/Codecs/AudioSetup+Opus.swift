// SPDX-License-Identifier: Apache-2.0

import EngineModel

extension AudioSetup {
    /// Entry `Opus`. `OpusPacket` determines packet durations.
    static func opus(_ evidence: StreamEvidence) throws(PackagingError) -> TrackSetup {
        guard !evidence.extradata.isEmpty else { throw PackagingError(.missingConfiguration, "Opus has no OpusHead") }
        let head = try OpusHead(extradata: evidence.extradata)
        return setup(
            evidence,
            configuration: head.specificBox,
            codecString: CodecString.opus,
            sampleRate: OpusPacket.sampleRate,
            channels: head.channels,
            samplesPerFrame: nil
        )
    }
}
