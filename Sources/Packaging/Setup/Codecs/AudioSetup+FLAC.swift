// SPDX-License-Identifier: Apache-2.0

import EngineModel

extension AudioSetup {
    /// Entry `fLaC`. `FLACFrame` determines packet durations.
    static func flac(_ evidence: StreamEvidence) throws(PackagingError) -> TrackSetup {
        guard !evidence.extradata.isEmpty else {
            throw PackagingError(.missingConfiguration, "FLAC has no STREAMINFO")
        }
        let info = try FLACStreamInfo(extradata: evidence.extradata)
        return setup(
            evidence,
            configuration: info.specificBox,
            codecString: CodecString.flac,
            sampleRate: info.sampleRate,
            channels: info.channels,
            samplesPerFrame: nil,
            bitDepth: info.bitDepth
        )
    }
}
