// SPDX-License-Identifier: Apache-2.0

import EngineModel

extension VideoSetup {
    /// Sample entry `av01`. The CODECS string is the one of AV1-ISOBMFF §5.
    static func av1(_ evidence: StreamEvidence) throws(PackagingError) -> TrackSetup {
        let sources = [AV1Configuration.units(in: evidence.extradata)] + evidence.firstPackets
        var found: (header: AV1SequenceHeader, payload: [UInt8])?
        for source in sources {
            for unit in AV1Units.unitsToSearch(in: source.span) {
                let payload = Array(source[unit.payload])
                if unit.type == AV1Units.sequenceHeader, found == nil {
                    found = (try AV1SequenceHeader(payload: payload), payload)
                }
            }
        }
        guard let (header, payload) = found, payload.count <= RawPayload.byteLimit else {
            throw PackagingError(.missingConfiguration, "no AV1 sequence header in codec private data or packets")
        }
        var track = evidence.track()
        track.configuration = AV1Configuration.record(for: header, payload: payload)
        track.codecString = CodecString.av1(header)
        var video = evidence.video
        video.complete(width: header.width, height: header.height, display: header.display, bitDepth: header.bitDepth)
        video.chromaFormat = header.isMonochrome ? 0 : header.subsamplingY ? 1 : header.subsamplingX ? 2 : 3
        track.video = video
        return TrackSetup(track: track, transform: .openBitstreamUnits)
    }
}
