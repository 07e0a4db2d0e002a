// SPDX-License-Identifier: Apache-2.0

extension FLACFrame {
    /// The frame with a different number and recomputed checksums (RFC 9639 §9.1.5, §9.1.8, §9.3). `nil` if it is not a
    /// frame.
    ///
    /// - Parameter number: the frame number, for streams of fixed block size. Below 2³¹.
    package static func renumbered(_ frame: Span<UInt8>, to number: UInt64) -> [UInt8]? {
        guard sampleCount(frame) != nil, number < 1 << 31 else { return nil }
        let numberByteCount = max(1, (~frame[4]).leadingZeroBitCount)
        // After the number: an uncommon block size, an uncommon sample rate.
        let sizeCode = frame[2] >> 4
        let rateCode = frame[2] & 0xF
        let extras = (sizeCode == 6 ? 1 : sizeCode == 7 ? 2 : 0) + (rateCode == 12 ? 1 : rateCode > 12 ? 2 : 0)
        let headEnd = 4 + numberByteCount + extras
        guard frame.count >= headEnd + 1 + 2, rateCode != 15 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(frame.count + 6)
        for index in 0..<4 { bytes.append(frame[index]) }
        bytes += coded(UInt32(truncatingIfNeeded: number))
        for index in 4 + numberByteCount..<headEnd { bytes.append(frame[index]) }
        bytes.append(checksum8(bytes))
        for index in headEnd + 1..<frame.count - 2 { bytes.append(frame[index]) }
        let checksum = checksum16(bytes)
        bytes += [UInt8(checksum >> 8), UInt8(checksum & 0xFF)]
        return bytes
    }

    /// A number in UTF-8 coding, extended to six bytes.
    private static func coded(_ number: UInt32) -> [UInt8] {
        if number < 0x80 { return [UInt8(number)] }
        var count = 2
        while count < 6, number >= 1 << UInt32(5 * count + 1) { count += 1 }
        let lead = UInt8(truncatingIfNeeded: 0xFF00 >> count)
        var bytes = [lead | UInt8(truncatingIfNeeded: number >> UInt32(6 * (count - 1)))]
        for place in (0..<count - 1).reversed() {
            bytes.append(0x80 | UInt8(truncatingIfNeeded: number >> UInt32(6 * place)) & 0x3F)
        }
        return bytes
    }

    /// x⁸ + x² + x + 1.
    private static func checksum8(_ bytes: [UInt8]) -> UInt8 {
        bytes.reduce(0) { crc, byte in
            (0..<8).reduce(crc ^ byte) { value, _ in value & 0x80 == 0 ? value << 1 : value << 1 ^ 0x07 }
        }
    }

    private static let table16: [UInt16] = (0..<256).map { index in
        (0..<8).reduce(UInt16(index) << 8) { value, _ in value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x8005 }
    }

    /// x¹⁶ + x¹⁵ + x² + 1.
    private static func checksum16(_ bytes: [UInt8]) -> UInt16 {
        bytes.reduce(0) { crc, byte in crc << 8 ^ table16[Int(UInt8(crc >> 8) ^ byte)] }
    }
}
