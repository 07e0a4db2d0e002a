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

    /// What the source is, by all that is known. `nil` when it is not Dolby Vision.
    ///
    /// - Parameter video: size, rate and transfer function of the base layer.
    package func configuration(of video: VideoProperties) -> DolbyVisionConfiguration? {
        guard metadata != nil || declared != nil else { return nil }
        if hasSecondLayer {
            return record(profile: 7, compatibility: 6, hasEnhancementLayer: true, video)
        }
        return switch metadata {
        case .four: record(profile: 4, compatibility: 2, hasEnhancementLayer: true, video)
        case .five: record(profile: 5, compatibility: 0, hasEnhancementLayer: false, video)
        case .eight, .seven:
            record(profile: 8, compatibility: compatibility(of: video), hasEnhancementLayer: false, video)
        case nil: declared
        }
    }

    /// What is served when the second layer is taken out of a source that has one.
    package func servedConfiguration(of video: VideoProperties) -> DolbyVisionConfiguration? {
        guard hasSecondLayer else { return configuration(of: video) }
        return record(profile: 8, compatibility: 1, hasEnhancementLayer: false, video)
    }

    /// What a declared record of the same profile says stands; the rest is made up from the video.
    private func record(
        profile: Int,
        compatibility: Int,
        hasEnhancementLayer: Bool,
        _ video: VideoProperties
    ) -> DolbyVisionConfiguration {
        if let declared, declared.profile == profile, declared.hasEnhancementLayer == hasEnhancementLayer,
            declared.hasBaseLayer
        {
            return declared
        }
        let level = declared.map(\.level).flatMap { (1...13).contains($0) ? $0 : nil }
        return DolbyVisionConfiguration(
            profile: profile,
            level: level
                ?? DolbyVisionLevel.smallest(width: video.width, height: video.height, frameRate: video.frameRate),
            hasEnhancementLayer: hasEnhancementLayer,
            compatibility: compatibility
        )
    }

    /// By the transfer function of ITU-T H.273: PQ is HDR10, HLG is HLG, everything else SDR.
    private func compatibility(of video: VideoProperties) -> Int {
        switch video.color.transfer {
        case 16: 1
        case 18: 4
        default: 2
        }
    }
}
