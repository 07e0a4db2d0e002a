// SPDX-License-Identifier: Apache-2.0

import EngineModel

extension AudioSetup {
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

    /// Entry `ec-3`. The box describes the first packet that codes objects, because objects may start a few packets in.
    /// If no packet does, it describes the first readable one.
    static func eac3(_ evidence: StreamEvidence) throws(PackagingError) -> TrackSetup {
        let first = try firstReadable(evidence, EAC3AccessUnit.init)
        let units = evidence.firstPackets.compactMap(accessUnit)
        let unit = units.first { $0.objectComplexity != nil } ?? first
        var notices: [Notice] = []
        var evidence = evidence
        evidence.audio.objects = unit.objectComplexity.map { .dolbyAtmos(complexity: $0) }
        let declared = evidence.audio.channels
        if declared > 0, declared != unit.channels {
            let text =
                "the container declares \(declared) channels, the E-AC-3 stream has \(unit.channels) and is used"
            notices.append(Notice(.warning, "audio.container_contradicted", text))
        }
        return setup(
            evidence,
            configuration: unit.specificBox,
            codecString: CodecString.eac3,
            sampleRate: unit.sampleRate,
            channels: unit.channels,
            samplesPerFrame: units.allSatisfy { $0.sampleCount == first.sampleCount } ? first.sampleCount : nil,
            notices: notices
        )
    }

    /// `nil` for a packet that is damaged.
    private static func accessUnit(_ packet: [UInt8]) -> EAC3AccessUnit? {
        do throws(PackagingError) {
            return try EAC3AccessUnit(packet)
        } catch {
            return nil
        }
    }
}
