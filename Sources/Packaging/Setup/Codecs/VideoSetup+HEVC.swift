// SPDX-License-Identifier: Apache-2.0

import EngineModel

extension VideoSetup {
    /// Entry `hvc1`, CODECS as defined in ISO/IEC 14496-15 Annex E.
    static func hevc(_ evidence: StreamEvidence) throws(PackagingError) -> TrackSetup {
        var configuration = HEVCConfiguration()
        var declared = NALFraming.annexB
        if isRecord(evidence.extradata) {
            // If the record is truncated, parameter sets are taken from the packets.
            configuration = (try? HEVCConfiguration(record: evidence.extradata)) ?? configuration
            declared = .lengthPrefixed(configuration.lengthSize)
        } else if !evidence.extradata.isEmpty {
            try configuration.collect(from: evidence.extradata, framing: .annexB)
        }
        let framing = try NALFraming.detect(evidence.firstPackets, declared: declared)
        for packet in evidence.firstPackets where !configuration.isComplete && framing.consumes(packet.span) {
            try configuration.collect(from: packet, framing: framing)
        }
        guard configuration.isComplete, let first = configuration.sequenceSets.first else {
            throw PackagingError(.missingConfiguration, "no HEVC parameter sets in codec private data or packets")
        }
        let set = try HEVCParameterSet(unit: first)

        var track = evidence.track()
        track.configuration = configuration.record(for: set)
        track.codecString = CodecString.hevc(set.profile)
        var video = evidence.video
        video.complete(width: set.width, height: set.height, display: set.display, bitDepth: set.lumaBitDepth)
        video.chromaFormat = set.chromaFormat
        video.isInterlaced = video.isInterlaced || set.isInterlaced
        track.video = video
        return TrackSetup(track: track, transform: .nalUnits(framing), reorderDepth: set.reorderPictures)
    }

    /// A record starts with its version, which old Matroska muxers left at 0. Annex B starts with two zero bytes and a
    /// 0 or 1.
    static func isRecord(_ extradata: [UInt8]) -> Bool {
        guard extradata.count >= 23 else { return false }
        return extradata[0] == 1 || (extradata[0] == 0 && !(extradata[1] == 0 && extradata[2] <= 1))
    }
}
