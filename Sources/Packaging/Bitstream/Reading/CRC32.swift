// SPDX-License-Identifier: Apache-2.0

/// CRC-32 of MPEG-2 (ISO/IEC 13818-1 Annex A): polynomial 04C11DB7, not reflected, initialised to all ones.
enum CRC32 {
    private static let table = (0..<256).map { (index: UInt32) -> UInt32 in
        (0..<8).reduce(index << 24) { value, _ in value & 0x8000_0000 != 0 ? value << 1 ^ 0x04C1_1DB7 : value << 1 }
    }

    static func checksum(of bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(UInt32.max) { $0 << 8 ^ table[Int($0 >> 24 ^ UInt32($1))] }
    }
}
