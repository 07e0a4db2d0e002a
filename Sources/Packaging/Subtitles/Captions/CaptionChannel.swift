// SPDX-License-Identifier: Apache-2.0

/// Extracts one channel of CEA-608 captions from `cc_data` (CTA-708 §4.4): triplets of a marker and two CEA-608 bytes.
///
/// The output is relabelled as the first channel of the first field, the only one that decoders handle. Text services,
/// extended data and CTA-708 packets are dropped.
package struct CaptionChannel: Sendable {
    /// 0 or 1.
    private let field: UInt8
    private let isSecond: Bool
    private let takesEitherField: Bool
    /// Whether the following data belongs to the channel. Data before the first command is assigned to the first
    /// channel.
    private var isCurrent: Bool
    /// Whether the following data is extended data (CTA-608 §9), which any other command interrupts.
    private var isExtended = false
    /// Whether the following data belongs to a text service.
    private var isText = false

    /// - Parameter number: 1 … 4 for CC1 … CC4; 0 for CC1, or CC3 in packets without first-field data.
    package init(_ number: Int) {
        field = number >= 3 ? 1 : 0
        isSecond = number == 2 || number == 4
        takesEitherField = number == 0
        isCurrent = !isSecond
    }

    /// The part of `triplets` that belongs to the channel.
    package mutating func taken(from triplets: [UInt8]) -> [UInt8] {
        var field = field
        if takesEitherField, !Self.has(field: 0, triplets) { field = 1 }
        var out: [UInt8] = []
        var index = 0
        while index + 2 < triplets.count {
            let (marker, first, second) = (triplets[index], triplets[index + 1], triplets[index + 2])
            index += 3
            guard marker & 4 != 0, marker & 3 == field, let pair = taken(first, second) else { continue }
            out += [0xFC, pair.0, pair.1]
        }
        return out
    }

    private static func has(field: UInt8, _ triplets: [UInt8]) -> Bool {
        stride(from: 0, to: triplets.count - 2, by: 3).contains {
            triplets[$0] & 7 == 4 | field && (triplets[$0 + 1] & 0x7F != 0 || triplets[$0 + 2] & 0x7F != 0)
        }
    }

    private mutating func taken(_ first: UInt8, _ second: UInt8) -> (UInt8, UInt8)? {
        let (high, low) = (first & 0x7F, second & 0x7F)
        switch high {
        case 0x10...0x1F where Self.isOdd(first):
            isExtended = false
            isCurrent = (high & 8 != 0) == isSecond
            guard isCurrent else { return nil }
            return command(high & ~8, low, second)
        case 0x01...0x0E where field == 1 || takesEitherField:
            isExtended = true
            return nil
        case 0x0F where isExtended:
            isExtended = false
            return nil
        case 0: return nil
        default:
            return isCurrent && !isExtended && !isText ? (first, second) : nil
        }
    }

    /// A command of the channel, relabelled for the first channel of the first field.
    private mutating func command(_ high: UInt8, _ low: UInt8, _ second: UInt8) -> (UInt8, UInt8)? {
        let isControl = (high == 0x14 || high == 0x15) && (0x20...0x2F).contains(low)
        if isControl {
            switch low {
            case 0x2A, 0x2B: isText = true
            case 0x20, 0x25, 0x26, 0x27, 0x29, 0x2F: isText = false
            default: break
            }
        }
        guard !isText else { return nil }
        return (Self.withParity(isControl ? 0x14 : high), second)
    }

    private static func isOdd(_ byte: UInt8) -> Bool { byte.nonzeroBitCount & 1 == 1 }

    private static func withParity(_ byte: UInt8) -> UInt8 { isOdd(byte) ? byte : byte | 0x80 }
}
