// SPDX-License-Identifier: Apache-2.0

internal import Packaging

/// What a decoder of AV1 or VP9 must support, according to the configuration record of a sample entry or to CODECS.
package struct DecoderDemand: Hashable, Sendable {
    /// The type of the sample entry.
    package let format: String
    package let profile: Int
    /// As CODECS has it.
    package let level: Int
    package let isHighTier: Bool
    package let bitDepth: Int

    /// The length of a VisualSampleEntry before its boxes (ISO/IEC 14496-12 §12.1.3).
    private static let entryLength = 78

    /// Reads `av1C` (AV1-ISOBMFF §2.3.3) or `vpcC` (VP Codec ISO Media File Format Binding §2.2).
    ///
    /// - Parameter entry: the payload of the sample entry.
    /// - Returns: `nil` for a sample entry of another codec.
    /// - Throws: an error if the entry has no such box.
    init?(format: String, entry: [UInt8]) throws(PackagingError) {
        let type: String
        switch format {
        case "av01": type = "av1C"
        case "vp09": type = "vpcC"
        default: return nil
        }
        guard entry.count > Self.entryLength else { throw PackagingError(.truncated, "\(format) is too short") }
        let boxes = Array(entry[Self.entryLength...])
        guard let box = try BoxNode.read(boxes).first(where: { $0.type == type }) else {
            throw PackagingError(.missingConfiguration, "\(format) has no \(type)")
        }
        var reader = try box.fields(boxes)
        self.format = format
        guard format == "av01" else {
            guard try reader.byte() == 1 else { throw PackagingError(.malformed, "the version of vpcC is not 1") }
            try reader.skip(3)
            (profile, level) = (Int(try reader.byte()), Int(try reader.byte()))
            (isHighTier, bitDepth) = (false, Int(try reader.byte() >> 4))
            return
        }
        guard try reader.byte() == 0x81 else { throw PackagingError(.malformed, "av1C has no marker and version 1") }
        let first = Int(try reader.byte())
        let second = try reader.byte()
        (profile, level, isHighTier) = (first >> 5, first & 0x1F, second & 0x80 != 0)
        bitDepth = second & 0x40 == 0 ? 8 : second & 0x20 == 0 ? 10 : 12
    }

    /// Parses an element of CODECS, such as `av01.0.08M.08` or `vp09.00.40.08`. `nil` if it is none of these.
    package init?(codec: String) {
        let fields = codec.split(separator: ".", omittingEmptySubsequences: false)
        guard fields.count >= 4, fields[0] == "av01" || fields[0] == "vp09" else { return nil }
        let isAV1 = fields[0] == "av01"
        let digits = isAV1 ? fields[2].dropLast() : fields[2]
        guard let profile = Int(fields[1]), let level = Int(digits), let bitDepth = Int(fields[3]) else { return nil }
        guard !isAV1 || fields[2].hasSuffix("M") || fields[2].hasSuffix("H") else { return nil }
        format = String(fields[0])
        (self.profile, self.level, self.bitDepth) = (profile, level, bitDepth)
        isHighTier = isAV1 && fields[2].hasSuffix("H")
    }

    /// Whether a decoder that fulfils this demand also fulfils the other.
    package func covers(_ other: DecoderDemand) -> Bool {
        format == other.format && profile >= other.profile && level >= other.level && bitDepth >= other.bitDepth
            && (isHighTier || !other.isHighTier)
    }
}

extension PlaylistRules {
    /// CODECS must name every format in a variant (RFC 8216 §4.3.4.2). Checked for AV1 and VP9.
    ///
    /// - Parameter demands: those of the init segments of each media playlist, by its URI.
    package static func codecProblems(
        of master: ParsedPlaylist,
        demands: [String: Set<DecoderDemand>]
    ) -> [ValidationProblem] {
        master.variants.flatMap { variant -> [ValidationProblem] in
            guard let codecs = variant.attributes["CODECS"] else { return [] }
            let named = codecs.split(separator: ",").compactMap { DecoderDemand(codec: String($0)) }
            let unnamed = demands[variant.uri, default: []].filter { demand in !named.contains { $0.covers(demand) } }
            return unnamed.map(\.description).sorted().map { demand in
                ValidationProblem("RFC 8216 §4.3.4.2", master.uri, "CODECS of \(variant.uri) does not cover \(demand)")
            }
        }
    }
}

extension DecoderDemand: CustomStringConvertible {
    package var description: String {
        "\(format) profile \(profile) level \(level)\(isHighTier ? " high tier" : "") with \(bitDepth) bits"
    }
}
