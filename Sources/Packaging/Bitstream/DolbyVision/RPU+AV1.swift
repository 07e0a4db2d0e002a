// SPDX-License-Identifier: Apache-2.0

extension RPU {
    /// The RPU of an AV1 temporal unit: in a metadata OBU with ITU-T T.35 user data, wrapped in the container of
    /// ETSI TS 102 366 Annex H (EMDF) with fixed fields. `nil` if there is none.
    ///
    /// - Throws: if the RPU is damaged.
    package init?(temporalUnit: [UInt8]) throws(PackagingError) {
        for unit in try AV1Units.units(in: temporalUnit.span) where unit.type == AV1Units.metadata {
            guard unit.payload.count <= RawPayload.byteLimit else { continue }
            let payload = Array(temporalUnit[unit.payload])
            guard payload.first == Self.registeredUserData,
                RegisteredUserData(Array(payload.dropFirst())) == .dolbyVision
            else { continue }
            try self.init(container: Array(payload.dropFirst(1 + Self.codesLength)))
            return
        }
        return nil
    }

    /// metadata_type of AV1 for T.35 user data.
    private static let registeredUserData: UInt8 = 4
    /// Country code, provider code, and the provider's own code.
    private static let codesLength = 7
    private static let version = 0
    private static let key = 6
    /// 31 means that the rest follows in groups of five bits.
    private static let identifier = 31
    private static let identifierRest = 225
    /// No offset, duration, group or codec data; unknown payloads may be discarded.
    private static let flags = 1

    private init(container: [UInt8]) throws(PackagingError) {
        var reader = BitReader(container, subject: "RPU in AV1")
        guard try reader.int(2) == Self.version, try reader.int(3) == Self.key,
            try reader.int(5) == Self.identifier,
            try Self.variable(&reader, group: 5) == Self.identifierRest,
            try reader.int(5) == Self.flags
        else { throw PackagingError(.malformed, "RPU in AV1: unexpected container type") }
        let count = try Self.variable(&reader, group: 8)
        guard count <= reader.remaining / 8 else { throw PackagingError(.malformed, "RPU in AV1: truncated") }
        // This container omits the prefix byte that HEVC units start with.
        var bytes = [Self.prefix]
        for _ in 0..<count { bytes.append(UInt8(truncatingIfNeeded: try reader.bits(8))) }
        try self.init(bytes: bytes)
    }

    /// `variable_bits` of ETSI TS 102 366 §H.2.1.
    private static func variable(_ reader: inout BitReader, group: Int) throws(PackagingError) -> Int {
        var value = try reader.int(group)
        while try reader.flag() {
            guard value < RawPayload.byteLimit else {
                throw PackagingError(.malformed, "RPU in AV1: unterminated number")
            }
            value = (value + 1) << group + (try reader.int(group))
        }
        return value
    }
}
