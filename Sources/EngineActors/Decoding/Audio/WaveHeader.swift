// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// The header of a RIFF WAVE file with samples of one format: `WAVE_FORMAT_EXTENSIBLE` with the channel positions.
///
/// The lowest 18 bits of the channel mask have the same meaning as in libavutil.
struct WaveHeader {
    static let byteCount = 68
    /// RIFF sizes have 32 bits.
    static let dataLimit = Int64(UInt32.max) - Int64(byteCount)

    let format: AudioFormat
    let dataByteCount: Int64

    var bytes: [UInt8] {
        let data = UInt32(clamping: min(dataByteCount, Self.dataLimit))
        let frame = UInt16(clamping: format.stride)
        let bits = UInt16(clamping: format.samples.bytesPerSample * 8)
        let mask = format.layout.mask < 1 << 18 ? UInt32(format.layout.mask) : 0
        var bytes: [UInt8] = []
        bytes += "RIFF".utf8
        bytes.append(little: data + UInt32(Self.byteCount - 8))
        bytes += "WAVEfmt ".utf8
        bytes.append(little: UInt32(40))
        bytes.append(little: UInt16(0xFFFE))
        bytes.append(little: UInt16(clamping: format.layout.count))
        bytes.append(little: UInt32(clamping: format.rate))
        bytes.append(little: UInt32(clamping: format.rate * format.stride))
        bytes.append(little: frame)
        bytes.append(little: bits)
        bytes.append(little: UInt16(22))
        bytes.append(little: bits)
        bytes.append(little: mask)
        // KSDATAFORMAT_SUBTYPE_PCM and KSDATAFORMAT_SUBTYPE_IEEE_FLOAT differ only in the first two bytes.
        bytes.append(little: UInt16(format.samples.isFloat ? 3 : 1))
        bytes += [0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71]
        bytes += "data".utf8
        bytes.append(little: data)
        return bytes
    }
}

extension [UInt8] {
    fileprivate mutating func append(little value: some FixedWidthInteger & UnsignedInteger) {
        for shift in Swift.stride(from: 0, to: value.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
