// SPDX-License-Identifier: Apache-2.0

/// Finds the packets of MPEG-1 and MPEG-2 video at which libavcodec's decoder sets itself up again. The decoder then
/// discards the picture that it still holds for reordering, unless the previous sequence was ended. Pure.
struct SequenceWatch {
    /// The last bytes of a sequence (`sequence_end_code`, ISO/IEC 13818-2, 6.2.1). When they are sent as a packet of
    /// their own, libavcodec outputs the picture that it holds.
    static let end: [UInt8] = [0, 0, 1, 0xB7]

    /// What libavcodec compares (`mpeg_decode_postinit`).
    private struct Setup: Hashable {
        let width: Int
        let height: Int
        let pixelAspect: Shape
        /// Always false if the number of macroblock rows is even: libavcodec then needs as much memory for fields as
        /// for frames.
        let isProgressive: Bool
    }

    /// A ratio in lowest terms; 0:1 if unknown.
    private struct Shape: Hashable {
        let horizontal: Int
        let vertical: Int

        init(_ horizontal: Int, _ vertical: Int) {
            let divisor = max(1, Self.divisor(horizontal, vertical))
            self.horizontal = horizontal / divisor
            self.vertical = vertical / divisor
        }

        private static func divisor(_ first: Int, _ second: Int) -> Int {
            second == 0 ? first : divisor(second, first % second)
        }

        static func / (lhs: Self, rhs: Self) -> Self {
            Self(lhs.horizontal * rhs.vertical, lhs.vertical * rhs.horizontal)
        }
    }

    private static let standard = Shape(4, 3)
    private static let wide = Shape(16, 9)
    /// The shapes of whole pictures by their codes (table 6-3).
    private static let shapes = [2: standard, 3: wide, 4: Shape(221, 100)]

    private var current: Setup?
    /// The area that is shown on displays, as the latest display extension states it.
    private var shown: Shape?

    /// Notes the next packet that is sent to the decoder.
    ///
    /// - Returns: whether the decoder sets itself up again for it.
    mutating func isRestart(_ bytes: Span<UInt8>) -> Bool {
        guard let next = setup(bytes) else { return false }
        defer { current = next }
        return current.map { $0 != next } ?? false
    }

    /// The setup for a packet that begins with a sequence header. `nil` for any other packet.
    private mutating func setup(_ bytes: Span<UInt8>) -> Setup? {
        var header: (width: Int, height: Int, code: Int)?
        var isMPEG2 = false
        var isProgressive = true
        var at = 0
        // Up to the first picture (6.2.2): it begins with the code 0.
        while let code = Self.nextStartCode(in: bytes, from: at), bytes[code] != 0 {
            at = code + 1
            func byte(_ offset: Int) -> Int { Int(bytes[at + offset]) }
            switch bytes[code] {
            case 0xB3 where at + 4 <= bytes.count:
                header = (byte(0) << 4 | byte(1) >> 4, (byte(1) & 0xF) << 8 | byte(2), byte(3) >> 4)
            case 0xB5 where at + 3 <= bytes.count && byte(0) >> 4 == 1:
                isMPEG2 = true
                isProgressive = byte(1) & 8 != 0
                header?.width |= ((byte(1) & 1) << 1 | byte(2) >> 7) << 12
                header?.height |= (byte(2) >> 5 & 3) << 12
            case 0xB5 where at + 8 <= bytes.count && byte(0) >> 4 == 2:
                // A description of the colours may precede the size.
                let place = byte(0) & 1 != 0 ? 4 : 1
                let width = byte(place) << 6 | byte(place + 1) >> 2
                let height = (byte(place + 1) & 1) << 13 | byte(place + 2) << 5 | byte(place + 3) >> 3
                shown = width > 0 && height > 0 ? Shape(width, height) : nil
            default: break
            }
        }
        guard let header else { return nil }
        return Setup(
            width: header.width,
            height: header.height,
            // In MPEG-1, the code identifies the shape of pixels.
            pixelAspect: isMPEG2 ? pixelAspect(header.code, Shape(header.width, header.height)) : Shape(header.code, 1),
            isProgressive: isProgressive && (header.height + 15) / 16 % 2 == 1
        )
    }

    /// The shape of pixels in MPEG-2, as libavcodec determines it: the area for displays counts only if whole pictures
    /// then are 4:3 or 16:9.
    private func pixelAspect(_ code: Int, _ size: Shape) -> Shape {
        guard let stated = Self.shapes[code] else { return Shape(code == 1 ? 1 : 0, 1) }
        guard let shown, [Self.standard, Self.wide].contains(stated / (shown / size)) else { return stated / size }
        return stated / shown
    }

    /// The position of the byte after the next `00 00 01`.
    private static func nextStartCode(in bytes: Span<UInt8>, from start: Int) -> Int? {
        var zeros = 0
        for place in start..<max(start, bytes.count - 1) {
            if zeros >= 2, bytes[place] == 1 { return place + 1 }
            zeros = bytes[place] == 0 ? zeros + 1 : 0
        }
        return nil
    }
}
