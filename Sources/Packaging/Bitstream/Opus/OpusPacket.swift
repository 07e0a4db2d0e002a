// SPDX-License-Identifier: Apache-2.0

/// The duration of an Opus packet, RFC 6716 §3.1 and §3.2.
package enum OpusPacket {
    package static let sampleRate = 48_000

    /// Samples at 48 kHz in `packet`; its first two bytes suffice. `nil` if the packet is invalid: empty, without its
    /// count byte, without frames, or longer than 120 ms.
    package static func sampleCount(_ packet: Span<UInt8>) -> Int? {
        guard !packet.isEmpty else { return nil }
        let configuration = Int(packet[0] >> 3)
        let frameLength: Int =
            switch configuration {
            case 0..<12: [480, 960, 1920, 2880][configuration & 3]
            case 12..<16: [480, 960][configuration & 1]
            default: [120, 240, 480, 960][configuration & 3]
            }
        let frameCount: Int
        switch packet[0] & 3 {
        case 0: frameCount = 1
        case 1, 2: frameCount = 2
        default:
            guard packet.count > 1 else { return nil }
            frameCount = Int(packet[1] & 0x3F)
        }
        let samples = frameCount * frameLength
        return (1...5760).contains(samples) ? samples : nil
    }
}
