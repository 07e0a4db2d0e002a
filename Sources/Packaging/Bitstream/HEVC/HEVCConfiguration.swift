// SPDX-License-Identifier: Apache-2.0

/// HEVCDecoderConfigurationRecord, ISO/IEC 14496-15 §8.3.3.1, with parameter sets of the base layer only.
///
/// Always rewritten: anything else in a source's record (mainly SEI messages) is dropped, length fields are four bytes,
/// and every array is marked as complete.
struct HEVCConfiguration: Hashable, Sendable {
    var lengthSize = 4
    var videoSets: [[UInt8]] = []
    var sequenceSets: [[UInt8]] = []
    var pictureSets: [[UInt8]] = []
    /// Prefix SEI messages found while parsing; not written.
    var information: [[UInt8]] = []

    private static let setLimit = 64

    init() {}

    /// Parses a record.
    init(record: [UInt8]) throws(PackagingError) {
        var reader = ByteReader(record, subject: "hvcC")
        guard try reader.byte() <= 1 else { throw PackagingError(.malformed, "hvcC: the version is not 1") }
        try reader.skip(20)
        lengthSize = Int(try reader.byte() & 3) + 1
        let arrays = try reader.byte()
        for _ in 0..<arrays {
            try reader.skip(1)
            let units = try reader.uint16()
            for _ in 0..<units {
                let length = Int(try reader.uint16())
                add(try reader.take(length)[...])
            }
        }
    }

    /// The parameter sets and SEI messages in codec private data. Empty if it is not a valid record; the packets then
    /// have to carry the parameter sets.
    static func declared(by extradata: [UInt8]) -> HEVCConfiguration {
        do throws(PackagingError) { return try HEVCConfiguration(record: extradata) } catch {
            return HEVCConfiguration()
        }
    }

    /// Whether codec private data is a record rather than parameter sets in Annex B format. A record starts with its
    /// version, which old Matroska muxers left at 0. Annex B starts with two zero bytes and a 0 or 1.
    static func isRecord(_ extradata: [UInt8]) -> Bool {
        guard extradata.count >= 23 else { return false }
        return extradata[0] == 1 || (extradata[0] == 0 && !(extradata[1] == 0 && extradata[2] <= 1))
    }

    var isComplete: Bool { !videoSets.isEmpty && !sequenceSets.isEmpty && !pictureSets.isEmpty }

    /// Collects parameter sets from `packet` that are not in the configuration yet.
    mutating func collect(from packet: [UInt8], framing: NALFraming) throws(PackagingError) {
        for range in try framing.units(in: packet.span) { add(packet[range]) }
    }

    private mutating func add(_ unit: ArraySlice<UInt8>) {
        guard unit.count > 2, unit.count < RawPayload.byteLimit,
            HEVC.layer(unit[unit.startIndex], unit[unit.startIndex + 1]) == 0
        else { return }
        switch HEVC.unitType(unit[unit.startIndex]) {
        case HEVC.videoParameterSet: Self.add(unit, to: &videoSets)
        case HEVC.sequenceParameterSet: Self.add(unit, to: &sequenceSets)
        case HEVC.pictureParameterSet: Self.add(unit, to: &pictureSets)
        case HEVC.prefixInformation: Self.add(unit, to: &information)
        default: break
        }
    }

    private static func add(_ unit: ArraySlice<UInt8>, to sets: inout [[UInt8]]) {
        let set = Array(unit)
        if sets.count < setLimit, !sets.contains(set) { sets.append(set) }
    }

    func record(for set: HEVCParameterSet) -> [UInt8] {
        let profile = set.profile
        var writer = BoxWriter()
        writer.byte(1)
        writer.byte(UInt8(truncatingIfNeeded: profile.space << 6 | (profile.isHighTier ? 32 : 0) | profile.profile))
        writer.uint32(profile.compatibility)
        writer.append(profile.constraints)
        writer.byte(UInt8(truncatingIfNeeded: profile.level))
        writer.uint16(0xF000)
        writer.byte(0xFC)
        writer.byte(0xFC | UInt8(truncatingIfNeeded: set.chromaFormat))
        writer.byte(0xF8 | UInt8(truncatingIfNeeded: set.lumaBitDepth - 8))
        writer.byte(0xF8 | UInt8(truncatingIfNeeded: set.chromaBitDepth - 8))
        writer.uint16(0)
        writer.byte(UInt8(truncatingIfNeeded: set.temporalLayers << 3 | (set.isTemporallyNested ? 4 : 0) | 3))
        let arrays: [(type: UInt8, units: [[UInt8]])] = [
            (HEVC.videoParameterSet, videoSets), (HEVC.sequenceParameterSet, sequenceSets),
            (HEVC.pictureParameterSet, pictureSets),
        ]
        writer.byte(UInt8(truncatingIfNeeded: arrays.count))
        for array in arrays {
            writer.byte(0x80 | array.type)
            writer.uint16(UInt16(clamping: array.units.count))
            writer.lengthPrefixed(array.units)
        }
        return writer.bytes
    }
}
