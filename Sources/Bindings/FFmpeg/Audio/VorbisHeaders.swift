// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The three header packets of Vorbis, without which its audio packets cannot be decoded (Vorbis I specification, §4.2).
package struct VorbisHeaders: Hashable, Sendable {
    /// The length of the identification header (§4.2.2).
    private static let identificationByteCount = 30

    /// Identification, comment and setup.
    package let packets: [[UInt8]]

    /// `nil` unless these are the three headers.
    package init?(_ packets: [[UInt8]]) {
        guard packets.map(\.first) == [1, 3, 5], packets[0].count >= Self.identificationByteCount else { return nil }
        self.packets = packets
    }

    /// The headers in codec private data: their number less one, the lengths of all but the last, and the headers, as
    /// Matroska stores them.
    package init?(privateData: [UInt8]) {
        guard privateData.first == 2 else { return nil }
        var lengths: [Int] = []
        var place = 1
        while lengths.count < 2 {
            var length = 0
            repeat {
                guard place < privateData.count else { return nil }
                length += Int(privateData[place])
                place += 1
            } while privateData[place - 1] == 255
            lengths.append(length)
        }
        let setup = place + lengths[0] + lengths[1]
        guard setup <= privateData.count else { return nil }
        self.init([
            Array(privateData[place..<place + lengths[0]]), Array(privateData[place + lengths[0]..<setup]),
            Array(privateData[setup...]),
        ])
    }

    /// As the initializer reads them.
    package var privateData: [UInt8] {
        let lengths = packets.dropLast().flatMap {
            [UInt8](repeating: 255, count: $0.count / 255) + [UInt8($0.count % 255)]
        }
        return [2] + lengths + packets.flatMap { $0 }
    }

    /// The duration of a sample, in which Ogg counts.
    package var timeBase: TimeBase {
        .hertz(max(1, (12..<16).reversed().reduce(0) { $0 << 8 | Int64(packets[0][$1]) }))
    }

    /// Whether a decoder with these headers decodes the packets of the others: the number of channels, the sample rate,
    /// the block sizes and the setup are equal.
    package func decode(packetsOf other: VorbisHeaders) -> Bool {
        packets[0][11..<16] == other.packets[0][11..<16] && packets[0][28] == other.packets[0][28]
            && packets[2] == other.packets[2]
    }
}
