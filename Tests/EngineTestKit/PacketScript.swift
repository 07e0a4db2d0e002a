// SPDX-License-Identifier: Apache-2.0

package import Bindings

/// Makes the packets of one stream from a line that lists its frames in decoding order, such as `K0 3 1 2 K4`.
///
/// A number is a frame's presentation time in frames. A letter before the number marks the frame: `K` a keyframe, `D` a
/// frame that is decoded but not shown, `X` a corrupt frame. Decode times rise by one frame from packet to packet, and
/// begin so early that none is later than the presentation time of its frame. Positions in the file are contiguous, as
/// if the file held only this stream.
package struct PacketScript: Sendable {
    /// The times that packets have.
    package enum Times: Sendable { case both, presentation, decoding, none }

    package var stream: Int
    /// The duration of a frame, in ticks of the stream.
    package var frame: Int64
    package var times: Times
    /// The payload of a frame, given its number. Different frames of one stream should have different payloads.
    package var payload: @Sendable (Int64) -> [UInt8]

    package init(
        stream: Int = 0,
        frame: Int64 = 1,
        times: Times = .both,
        payload: @escaping @Sendable (Int64) -> [UInt8] = { [UInt8(truncatingIfNeeded: $0), 1, 2, 3] }
    ) {
        self.stream = stream
        self.frame = frame
        self.times = times
        self.payload = payload
    }

    /// - Parameter position: the byte at which the first packet starts in the file.
    package func packets(_ line: String, from position: Int64 = 0) -> [Packet] {
        let frames = line.split(separator: " ").map(Self.frame)
        let delay = frames.enumerated().map { Int64($0.offset) - $0.element.number }.max() ?? 0
        var position = position
        return frames.enumerated().map { place, each in
            let bytes = payload(each.number)
            defer { position += Int64(bytes.count) }
            let pts = each.number * frame
            let dts = (Int64(place) - delay) * frame
            return Packet(
                bytes,
                stream: stream,
                pts: [.both, .presentation].contains(times) ? pts : nil,
                dts: [.both, .decoding].contains(times) ? dts : nil,
                duration: frame,
                flags: each.flags,
                position: position
            )
        }
    }

    private static func frame(_ word: Substring) -> (number: Int64, flags: Packet.Flags) {
        let letters = word.prefix { $0.isLetter }
        guard let number = Int64(word.dropFirst(letters.count)) else { preconditionFailure("not a frame: \(word)") }
        let marks: [Character: Packet.Flags] = ["K": .key, "D": .discarded, "X": .corrupt]
        return (
            number,
            letters.reduce(into: []) { flags, letter in
                guard let mark = marks[letter] else { preconditionFailure("not a mark of a frame: \(letter)") }
                flags.formUnion(mark)
            }
        )
    }
}
