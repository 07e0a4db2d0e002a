// SPDX-License-Identifier: Apache-2.0

/// The payload of a NAL unit without emulation prevention bytes (ITU-T H.264 §7.3.1, H.265 §7.3.1.1).
enum RawPayload {
    /// A parameter set or an SEI message longer than this is considered garbage.
    static let byteLimit = 1 << 16

    static func unescaped(_ unit: [UInt8]) throws(PackagingError) -> [UInt8] {
        guard unit.count <= byteLimit else {
            throw PackagingError(
                .limitExceeded,
                "a NAL unit has \(unit.count) bytes, the limit is \(byteLimit)"
            )
        }
        return withoutEmulationPrevention(unit[...])
    }

    /// As `unescaped`, for units of any length, such as slices.
    static func withoutEmulationPrevention(_ unit: ArraySlice<UInt8>) -> [UInt8] {
        var payload: [UInt8] = []
        payload.reserveCapacity(unit.count)
        var zeros = 0
        for byte in unit {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            payload.append(byte)
        }
        return payload
    }
}
