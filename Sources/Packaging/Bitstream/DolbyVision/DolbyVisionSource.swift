// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// What Dolby Vision there is in an HEVC stream, by its first packets and by what the container declares.
///
/// The metadata units decide where there are any: records contradict their streams, and raw streams and transport streams
/// mostly have none.
package struct DolbyVisionSource: Hashable, Sendable {
    /// Of the first unit of metadata that can be read. `nil` when there is none.
    package var metadata: RPUProfile?
    /// Whether units of an enhancement layer lie among those of the base layer.
    package var hasInterleavedLayer = false
    /// Units of metadata that cannot be read.
    package var damagedUnits = 0
    package var declared: DolbyVisionConfiguration?

    /// Packets that are looked at.
    private static let packetLimit = 24

    /// - Parameter packets: complete, from a random access point on.
    package init(packets: [[UInt8]], framing: NALFraming, declared: DolbyVisionConfiguration?) {
        self.declared = declared
        for packet in packets.prefix(Self.packetLimit) {
            guard let units = try? framing.units(in: packet.span) else { continue }
            for range in units where range.count > 2 { note(packet[range]) }
        }
    }

    private mutating func note(_ unit: ArraySlice<UInt8>) {
        switch HEVC.unitType(unit[unit.startIndex]) {
        case HEVC.referenceProcessingUnit:
            guard let found = try? RPU(unit: Array(unit)), let profile = found.profile else {
                damagedUnits += 1
                return
            }
            if metadata == nil { metadata = profile }
        case HEVC.enhancementLayer: hasInterleavedLayer = true
        default: if HEVC.layer(unit[unit.startIndex], unit[unit.startIndex + 1]) > 0 { hasInterleavedLayer = true }
        }
    }

    /// Whether what is served must be without the second layer that the source has.
    package var hasSecondLayer: Bool {
        if case .seven = metadata { return true }
        if metadata == nil || metadata == .eight { return hasInterleavedLayer || declared?.profile == 7 }
        return false
    }

    /// The record of a source with a second layer, of profile 7. What a declared one says of the level stands.
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
