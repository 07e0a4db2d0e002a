// SPDX-License-Identifier: Apache-2.0

import EngineModel

extension AudioSetup {
    /// Entry `mp4a` with the object type of MPEG-1 or MPEG-2 audio and no further configuration.
    static func mp3(_ evidence: StreamEvidence) throws(PackagingError) -> TrackSetup {
        let header = try firstReadable(evidence, MPEGAudioHeader.init)
        return setup(
            evidence,
            configuration: [],
            codecString: CodecString.mpegAudio(sampleRate: header.sampleRate),
            sampleRate: header.sampleRate,
            channels: header.channels,
            samplesPerFrame: header.samplesPerFrame
        )
    }
}
