// SPDX-License-Identifier: Apache-2.0

import EngineModel

@testable import Packaging

/// The input is an RPU without its prefix and its checksum, which are added here: no mutation would guess a checksum. As
/// pieces, it is a video packet, the next one, and two packets of a second track.
func exerciseDolbyVision(_ bytes: [UInt8]) {
    if let rpu = try? RPU(unit: bytes) { exerciseMetadata(rpu, unitLength: bytes.count) }
    let unit = checksummed(bytes)
    if let rpu = try? RPU(unit: unit) {
        expect(rpu.unit() == unit, "an RPU is written as it was read")
        exerciseMetadata(rpu, unitLength: unit.count)
    }
    exerciseContainer(bytes)
    let parts = pieces(bytes, limit: 4)
    for framing in [NALFraming.annexB, .lengthPrefixed(4), .lengthPrefixed(2)] {
        exerciseLayers(parts, framing)
        exerciseLayers([framed(unit, framing)] + parts, framing)
    }
}

/// The input is a temporal unit of AV1, and then the content of a Dolby Vision metadata unit in one.
private func exerciseContainer(_ bytes: [UInt8]) {
    _ = try? RPU(temporalUnit: bytes)
    // A metadata unit without a size: user data of T.35 with the codes of Dolby Vision.
    let head: [UInt8] = [AV1Units.metadata << 3, 4, 0xB5, 0, 0x3B, 0, 0, 8, 0]
    guard let rpu = try? RPU(temporalUnit: head + bytes) else { return }
    exerciseMetadata(rpu, unitLength: bytes.count)
}

/// An RPU with the given content between its prefix and its checksum.
func checksummed(_ body: [UInt8]) -> [UInt8] {
    let checksum = CRC32.checksum(of: body[...])
    let end = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: checksum >> $0) } + [0x80]
    return [HEVC.referenceProcessingUnit << 1, 1] + EscapedPayload.escaped([0x19] + body + end)
}

private func exerciseMetadata(_ rpu: RPU, unitLength: Int) {
    _ = try? rpu.blocks()
    if let mapping = DolbyVisionMapping(rpu) { expect(mapping.isUsable, "a mapping has numbers to calculate with") }
    guard let converted = rpu.convertedToProfile8() else { return }
    expect(converted.profile == .eight, "what is converted is of profile 8")
    let written = converted.unit()
    expect(written.count <= 2 * unitLength + 1024, "\(unitLength) bytes of metadata became \(written.count)")
    expect((try? RPU(unit: written)) == converted, "converted metadata reads back")
    expect(converted.convertedToProfile8() == converted, "converting twice is converting once")
}

/// A sample never contains NAL units of the enhancement layer.
private func exerciseLayers(_ packets: [[UInt8]], _ framing: NALFraming) {
    guard let packet = packets.first else { return }
    _ = DolbyVisionSource(packets: packets, framing: framing, declared: nil)
    _ = SecondLayer(companion: packets, declared: nil)
    let regions = packets.map { ArrayRegion($0) }
    var surroundings = PacketSurroundings()
    if regions.count > 1 { surroundings.next = regions[1] }
    if regions.count > 2 { surroundings.companion = regions[2] }
    if regions.count > 3 { surroundings.companionNext = regions[3] }
    let total = packets.reduce(0) { $0 + $1.count }
    for target in [DolbyVisionPacking.Target.profile8, .baseLayer] {
        let companion = regions.count > 2 ? framing : nil
        let transform = SampleTransform.dolbyVision(
            DolbyVisionPacking(framing: framing, target: target, companion: companion)
        )
        _ = transform.isRest(ArrayRegion(packet))
        guard let sample = try? transform.sample(of: regions[0], in: surroundings) else { continue }
        let bytes = sample.payload.withBytes { span in span.indices.map { span[$0] } }
        expect(bytes.count <= 4 * total + 4096, "\(total) bytes became \(bytes.count)")
        let units = (try? NALFraming.lengthPrefixed(4).units(in: bytes.span)) ?? []
        for unit in units where unit.count > 1 {
            let type = HEVC.unitType(bytes[unit.lowerBound])
            expect(type != HEVC.enhancementLayer, "a unit of the enhancement layer is left")
            expect(target == .profile8 || type != HEVC.referenceProcessingUnit, "metadata is left in HDR10")
        }
    }
}

/// A picture of one NAL unit, followed by `unit`.
private func framed(_ unit: [UInt8], _ framing: NALFraming) -> [UInt8] {
    let picture: [UInt8] = [HEVC.randomAccessPictures.lowerBound << 1, 1, 0x80]
    return [picture, unit].flatMap { unit in
        switch framing {
        case .annexB: [0, 0, 0, 1] + unit
        case .lengthPrefixed(let size):
            (0..<size).reversed().map { UInt8(truncatingIfNeeded: unit.count >> ($0 * 8)) } + unit
        }
    }
}
