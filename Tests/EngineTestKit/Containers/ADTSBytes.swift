// SPDX-License-Identifier: Apache-2.0

/// Frames of a bare AAC stream (ISO/IEC 13818-7 §6.2), each with 1024 samples of mono silence at 48 kHz.
package enum ADTSBytes {
    package static let samplesPerFrame: Int64 = 1024
    package static let frameByteCount = 11

    /// - Parameter number: 0 … 255, written as the frame's gain, so that frames with different numbers have
    ///   different bytes.
    package static func frame(_ number: Int) -> [UInt8] {
        header(byteCount: frameByteCount)
            + [UInt8(truncatingIfNeeded: number >> 7), UInt8(truncatingIfNeeded: number << 1), 0, 7]
    }

    /// - Parameter numbers: the numbers of the frames.
    package static func stream(_ numbers: some Sequence<Int>) -> [UInt8] { numbers.flatMap(frame) }

    /// The number of a frame, with or without its header.
    package static func number(of frame: [UInt8]) -> Int? {
        guard frame.count >= 4 else { return nil }
        let payload = frame.suffix(4)
        return Int(payload[payload.startIndex]) << 7 | Int(payload[payload.startIndex + 1]) >> 1
    }

    /// A frame that states a length shorter than its own header.
    package static let damaged = header(byteCount: 3)

    private static func header(byteCount: Int) -> [UInt8] {
        let high = UInt8(truncatingIfNeeded: byteCount >> 11)
        let middle = UInt8(truncatingIfNeeded: byteCount >> 3)
        let low = UInt8(truncatingIfNeeded: byteCount << 5)
        return [0xFF, 0xF1, 0x4C, 0x40 | high, middle, low | 0x1F, 0xFC]
    }
}
