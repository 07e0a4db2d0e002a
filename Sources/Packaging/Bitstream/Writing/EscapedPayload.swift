// SPDX-License-Identifier: Apache-2.0

/// The inverse of `RawPayload`: inserts emulation prevention bytes (ITU-T H.264 §7.4.1, H.265 §7.4.2.3).
enum EscapedPayload {
    static func escaped(_ payload: [UInt8]) -> [UInt8] {
        var unit: [UInt8] = []
        unit.reserveCapacity(payload.count + 16)
        var zeros = 0
        for byte in payload {
            if zeros >= 2, byte <= 3 {
                unit.append(3)
                zeros = 0
            }
            zeros = byte == 0 ? zeros + 1 : 0
            unit.append(byte)
        }
        return unit
    }
}
