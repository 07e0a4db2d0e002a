// SPDX-License-Identifier: Apache-2.0

/// The rewritten parts of AVCDecoderConfigurationRecord, ISO/IEC 14496-15 §5.3.3.1.2.
///
/// Always rewritten, so that length fields are always four bytes and the high-profile fields are always present.
struct AVCConfiguration: Hashable, Sendable {
    var lengthSize = 4
    var sequenceSets: [[UInt8]] = []
    var pictureSets: [[UInt8]] = []
    var extensionSets: [[UInt8]] = []

    init() {}

    /// Parses a record.
    init(record: [UInt8]) throws(PackagingError) {
        var reader = ByteReader(record, subject: "avcC")
        guard try reader.byte() == 1 else { throw PackagingError(.malformed, "avcC: the version is not 1") }
        try reader.skip(3)
        lengthSize = Int(try reader.byte() & 3) + 1
        sequenceSets = try Self.sets(&reader, count: Int(try reader.byte() & 0x1F))
        pictureSets = try Self.sets(&reader, count: Int(try reader.byte()))
        // Some writers omit the extension fields although the profile requires them; they are derived when writing.
        guard reader.remaining > 4 else { return }
        do throws(PackagingError) {
            extensionSets = try Self.extensions(&reader)
        } catch {
            // Other writers truncate them. Primary pictures decode without the parameter set extensions.
        }
    }

    /// The parameter sets in codec private data. Empty if it is not a valid record; the packets then have to carry
    /// them.
    static func declared(by extradata: [UInt8]) -> AVCConfiguration {
        do throws(PackagingError) { return try AVCConfiguration(record: extradata) } catch { return AVCConfiguration() }
    }

    /// Whether codec private data is a record rather than parameter sets in Annex B format, which start with a zero.
    static func isRecord(_ extradata: [UInt8]) -> Bool { extradata.count >= 7 && extradata[0] == 1 }

    private static func extensions(_ reader: inout ByteReader) throws(PackagingError) -> [[UInt8]] {
        try reader.skip(3)
        return try sets(&reader, count: Int(try reader.byte()))
    }

    private static func sets(_ reader: inout ByteReader, count: Int) throws(PackagingError) -> [[UInt8]] {
        var sets: [[UInt8]] = []
        for _ in 0..<count {
            let length = Int(try reader.uint16())
            let set = try reader.take(length)
            if !set.isEmpty { sets.append(set) }
        }
        return sets
    }

    /// Collects parameter sets from `packet` that are not in the configuration yet.
    mutating func collect(from packet: [UInt8], framing: NALFraming) throws(PackagingError) {
        for range in try framing.units(in: packet.span) {
            switch H264.unitType(packet[range.lowerBound]) {
            case H264.sequenceParameterSet: Self.add(packet[range], to: &sequenceSets, limit: 31)
            case H264.pictureParameterSet: Self.add(packet[range], to: &pictureSets, limit: 255)
            case H264.sequenceParameterSetExtension: Self.add(packet[range], to: &extensionSets, limit: 255)
            default: break
            }
        }
    }

    private static func add(_ unit: ArraySlice<UInt8>, to sets: inout [[UInt8]], limit: Int) {
        guard sets.count < limit, unit.count <= RawPayload.byteLimit - 1 else { return }
        let set = Array(unit)
        if !sets.contains(set) { sets.append(set) }
    }

    var isComplete: Bool { !sequenceSets.isEmpty && !pictureSets.isEmpty }

    /// The record with four-byte lengths.
    func record(for set: H264ParameterSet) -> [UInt8] {
        var writer = BoxWriter()
        writer.byte(1)
        writer.byte(UInt8(truncatingIfNeeded: set.profile))
        writer.byte(UInt8(truncatingIfNeeded: set.constraints))
        writer.byte(UInt8(truncatingIfNeeded: set.level))
        writer.byte(0xFC | 3)
        writer.byte(0xE0 | UInt8(truncatingIfNeeded: sequenceSets.count & 0x1F))
        writer.lengthPrefixed(sequenceSets)
        writer.byte(UInt8(truncatingIfNeeded: pictureSets.count))
        writer.lengthPrefixed(pictureSets)
        if H264ParameterSet.highProfiles.contains(set.profile) {
            writer.byte(0xFC | UInt8(truncatingIfNeeded: set.chromaFormat))
            writer.byte(0xF8 | UInt8(truncatingIfNeeded: set.lumaBitDepth - 8))
            writer.byte(0xF8 | UInt8(truncatingIfNeeded: set.chromaBitDepth - 8))
            writer.byte(UInt8(truncatingIfNeeded: extensionSets.count))
            writer.lengthPrefixed(extensionSets)
        }
        return writer.bytes
    }
}
