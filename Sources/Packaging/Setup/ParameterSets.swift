// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The decoder configuration of a stream: the parameter sets of H.264 or HEVC, or the sequence header of AV1.
///
/// Used to detect where a stream's configuration changes midway. Pure; truncated and invalid data is ignored.
package struct ParameterSets: Hashable, Sendable {
    /// Video parameter sets (VPS). HEVC only.
    private(set) var video: [[UInt8]] = []
    /// Sequence parameter sets (SPS); with AV1, the payload of the sequence header OBU.
    private(set) var sequence: [[UInt8]] = []
    /// Picture parameter sets (PPS).
    private(set) var picture: [[UInt8]] = []

    /// The number of bytes searched in an H.264 or HEVC packet: only its start, because parameter sets come before the
    /// first slice.
    private static let searchLimit = 16 << 10
    private static let setLimit = 64
    private static let annexBStart: [UInt8] = [0, 0, 0, 1]

    package init() {}

    package var isEmpty: Bool { video.isEmpty && sequence.isEmpty && picture.isEmpty }

    /// The parameter sets, or the sequence header, that precede the first picture data in a packet. The packet is
    /// framed as in the container.
    package init(codec: CodecID, transform: SampleTransform, packet: Span<UInt8>) {
        if codec == .av1 { readSequenceHeader(packet) }
        guard codec == .h264 || codec == .hevc else { return }
        let prefix = packet.extracting(0..<min(packet.count, Self.searchLimit))
        for range in RandomAccess.leadingUnits(transform, prefix) {
            // The last unit of a prefix may be truncated.
            if range.upperBound == prefix.count, prefix.count < packet.count { return }
            guard add(prefix, range, codec) else { return }
        }
    }

    /// The parameter sets of an `avcC`, `hvcC` or `av1C` record. Empty if it cannot be parsed.
    package init(codec: CodecID, record: [UInt8]) {
        switch codec {
        case .h264:
            let configuration = AVCConfiguration.declared(by: record)
            sequence = configuration.sequenceSets
            picture = configuration.pictureSets
        case .hevc:
            let configuration = HEVCConfiguration.declared(by: record)
            video = configuration.videoSets
            sequence = configuration.sequenceSets
            picture = configuration.pictureSets
        case .av1:
            readSequenceHeader(AV1Configuration.units(in: record).span)
        default: break
        }
    }

    /// The sets that are active once a packet with the sets `newer` has been read.
    ///
    /// If `newer` has a new sequence set, each kind of set in `newer` replaces all known sets of that kind. Otherwise
    /// new video sets replace all known ones, and picture sets replace those with the same ids. The result equals this
    /// value if `newer` only repeats known sets.
    package func updated(with newer: ParameterSets) -> ParameterSets {
        var result = self
        if !Set(newer.sequence).isSubset(of: sequence) {
            result.sequence = newer.sequence
            if !newer.picture.isEmpty { result.picture = newer.picture }
            if !newer.video.isEmpty { result.video = newer.video }
            return result
        }
        if !Set(newer.video).isSubset(of: video) { result.video = newer.video }
        if !Set(newer.picture).isSubset(of: picture) {
            let headerLength = video.isEmpty ? 1 : 2
            let numbers = Set(newer.picture.map { Self.number(of: $0, after: headerLength) })
            result.picture =
                newer.picture + picture.filter { !numbers.contains(Self.number(of: $0, after: headerLength)) }
        }
        return result
    }

    /// The sets as codec private data: in Annex B format, or for AV1 as an OBU with a size field.
    package func privateData(codec: CodecID) -> [UInt8] {
        if codec == .av1 { return sequence.first.map { AV1Configuration.sequenceUnit($0) } ?? [] }
        return (video + sequence + picture).flatMap { Self.annexBStart + $0 }
    }

    /// The id of a picture parameter set: the first field after the header of the NAL unit (`pic_parameter_set_id`, in
    /// HEVC `pps_pic_parameter_set_id`). `nil` if the unit ends before it; such sets replace each other.
    private static func number(of unit: [UInt8], after headerLength: Int) -> Int? {
        var reader = BitReader(Array(unit.dropFirst(headerLength).prefix(8)), subject: "PPS")
        do throws(PackagingError) { return try reader.unsignedExpGolomb() } catch { return nil }
    }

    /// Adds the NAL unit at `range` if it is a parameter set. Returns `false` if it is a slice, which ends the search.
    private mutating func add(_ bytes: Span<UInt8>, _ range: Range<Int>, _ codec: CodecID) -> Bool {
        let header = bytes[range.lowerBound]
        if codec == .h264 {
            switch H264.unitType(header) {
            case H264.slice...H264.idrSlice: return false
            case H264.sequenceParameterSet: Self.add(bytes, range, to: &sequence)
            case H264.pictureParameterSet: Self.add(bytes, range, to: &picture)
            default: break
            }
            return true
        }
        guard range.count > 2 else { return true }
        if HEVC.pictures.contains(HEVC.unitType(header)) { return false }
        guard HEVC.layer(header, bytes[range.lowerBound + 1]) == 0 else { return true }
        switch HEVC.unitType(header) {
        case HEVC.videoParameterSet: Self.add(bytes, range, to: &video)
        case HEVC.sequenceParameterSet: Self.add(bytes, range, to: &sequence)
        case HEVC.pictureParameterSet: Self.add(bytes, range, to: &picture)
        default: break
        }
        return true
    }

    private static func add(_ bytes: Span<UInt8>, _ range: Range<Int>, to sets: inout [[UInt8]]) {
        guard sets.count < setLimit, range.count < RawPayload.byteLimit else { return }
        let set = range.map { bytes[$0] }
        if !sets.contains(set) { sets.append(set) }
    }

    private mutating func readSequenceHeader(_ bytes: Span<UInt8>) {
        var index = 0
        for _ in 0..<Self.setLimit {
            guard let unit = AV1Units.leadingUnit(in: bytes, at: index), unit.type != AV1Units.frame,
                unit.type != AV1Units.frameHeader
            else { return }
            if unit.type == AV1Units.sequenceHeader, unit.payload.count < RawPayload.byteLimit {
                sequence = [unit.payload.map { bytes[$0] }]
                return
            }
            index = unit.whole.upperBound
        }
    }
}
