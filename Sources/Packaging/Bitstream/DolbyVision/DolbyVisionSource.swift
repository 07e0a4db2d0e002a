// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The Dolby Vision properties of an HEVC stream, from its first packets and from the container's declaration.
///
/// RPUs take precedence if there are any: container records may contradict their streams, and raw streams and transport
/// streams mostly have no records.
package struct DolbyVisionSource: Hashable, Sendable {
    /// From the first readable RPU. `nil` if there is none.
    package var metadata: RPUProfile?
    /// Whether NAL units of an enhancement layer are interleaved with those of the base layer.
    package var hasInterleavedLayer = false
    /// RPUs that cannot be read, or whose profile is not known.
    package var damagedUnits = 0
    package var declared: DolbyVisionConfiguration?

    /// At most this many packets are examined.
    private static let packetLimit = 24

    /// - Parameter packets: complete, starting at a random access point.
    package init(packets: [[UInt8]], framing: NALFraming, declared: DolbyVisionConfiguration?) {
        self.declared = declared
        for packet in packets.prefix(Self.packetLimit) {
            for range in framing.unitsToSearch(in: packet.span) ?? [] where range.count > 2 { note(packet[range]) }
        }
    }

    private mutating func note(_ unit: ArraySlice<UInt8>) {
        switch HEVC.unitType(unit[unit.startIndex]) {
        case HEVC.referenceProcessingUnit:
            do throws(PackagingError) {
                let profile = try RPU(unit: Array(unit)).profile
                if profile == nil { damagedUnits += 1 }
                metadata = metadata ?? profile
            } catch {
                damagedUnits += 1
            }
        case HEVC.enhancementLayer: hasInterleavedLayer = true
        default: if HEVC.layer(unit[unit.startIndex], unit[unit.startIndex + 1]) > 0 { hasInterleavedLayer = true }
        }
    }

    /// Whether the source has a second layer, which must be removed before serving.
    package var hasSecondLayer: Bool {
        if case .seven = metadata { return true }
        if metadata == nil || metadata == .eight { return hasInterleavedLayer || declared?.profile == 7 }
        return false
    }

    /// The profile 7 record of a source with a second layer. A valid declared level is kept.
    package func configuration(of video: VideoProperties) -> DolbyVisionConfiguration {
        let level = declared.map(\.level).flatMap { (1...13).contains($0) ? $0 : nil }
        return DolbyVisionConfiguration(
            profile: 7,
            level: level
                ?? DolbyVisionLevel.smallest(width: video.width, height: video.height, frameRate: video.frameRate),
            hasEnhancementLayer: true,
            compatibility: 6
        )
    }
}
