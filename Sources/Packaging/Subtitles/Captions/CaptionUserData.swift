// SPDX-License-Identifier: Apache-2.0

/// Captions in MPEG-2 user data.
enum CaptionUserData {
    enum Kind: CaseIterable, Hashable {
        /// ATSC A/53 part 4 §6.2.3.
        case broadcast
        /// Line 21 of DVDs: the captions of a whole group of pictures, at its start.
        case disc
        /// SCTE 20 §6.
        case cable

        /// - Parameter data: starts after the start code.
        init?(_ data: [UInt8]) {
            if data.starts(with: Array("GA94".utf8) + [3]) {
                self = .broadcast
            } else if data.starts(with: [0x43, 0x43, 0x01, 0xF8]) {
                self = .disc
            } else if data.count > 2, data[0] == 3, data[1] & 0x7F == 1 {
                self = .cable
            } else {
                return nil
            }
        }

        /// - Parameters:
        ///   - data: of this kind, starting after the start code.
        ///   - isTopFirst: whether the top field of the picture comes first.
        func triplets(_ data: [UInt8], isTopFirst: Bool) -> [UInt8] {
            switch self {
            case .broadcast: CaptionData.triplets(Array(data.dropFirst(5)))
            case .disc: CaptionUserData.disc(data)
            case .cable: CaptionUserData.cable(data, isTopFirst: isTopFirst)
            }
        }
    }

    /// Pairs alternate between the fields, starting with the signalled field. The field marker of each pair is often
    /// wrong.
    private static func disc(_ data: [UInt8]) -> [UInt8] {
        guard data.count > 5 else { return [] }
        let head = data[4]
        let count = min(Int(head >> 1 & 0x1F) * 2 + Int(head & 1), (data.count - 5) / 3)
        let first: UInt8 = head & 0x80 != 0 ? 0 : 1
        return (0..<count).flatMap { number -> [UInt8] in
            let start = 5 + number * 3
            // Anything else is padding.
            guard data[start] >= 0xFE else { return [] }
            return [0xFC | first ^ UInt8(number & 1), data[start + 1], data[start + 2]]
        }
    }

    /// 26 bits each: priority, field, line, two bytes with the least significant bit first, and a marker.
    private static func cable(_ data: [UInt8], isTopFirst: Bool) -> [UInt8] {
        var position = 16
        func take(_ count: Int) -> UInt8? {
            guard position + count <= data.count * 8 else { return nil }
            var value: UInt8 = 0
            for _ in 0..<count {
                value = value << 1 | data[position / 8] >> UInt8(7 - position % 8) & 1
                position += 1
            }
            return value
        }
        var found: [UInt8] = []
        for _ in 0..<(take(5) ?? 0) {
            guard take(2) != nil, let number = take(2), take(5) != nil, let first = take(8), let second = take(8),
                take(1) != nil
            else { break }
            // 0 is forbidden, and the third field is the first again.
            guard number != 0 else { continue }
            let field: UInt8 = (number == 2) == isTopFirst ? 1 : 0
            found += [0xFC | field, reversed(first), reversed(second)]
        }
        return found
    }

    private static func reversed(_ byte: UInt8) -> UInt8 {
        (0..<8).reduce(0) { $0 << 1 | byte >> UInt8($1) & 1 }
    }
}
