// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Converts text in any charset that the C library supports to UTF-8 (`iconv`).
@safe package struct CharsetConverter: ~Copyable {
    private let descriptor: iconv_t
    /// The number of input bytes that one replacement character stands for.
    private let unit: Int

    /// Returns `nil` for a charset that the C library does not support.
    package init?(_ charset: String) {
        // A slash would end the name and start options.
        guard !charset.isEmpty, charset.utf8.count <= 64, charset.utf8.allSatisfy(Self.isNameByte) else { return nil }
        let opened = unsafe iconv_open("UTF-8", charset)
        guard unsafe opened != iconv_t(bitPattern: -1), let opened = unsafe opened else { return nil }
        unsafe descriptor = opened
        unit = Self.unitSize(of: charset.uppercased())
    }

    deinit { unsafe iconv_close(descriptor) }

    /// The size of a code unit of the charset, in bytes: `utf8` skips one unit of an invalid sequence.
    private static func unitSize(of name: String) -> Int {
        let names = [4: ["UTF-32", "UTF32", "UCS-4", "UCS4"], 2: ["UTF-16", "UTF16", "UCS-2", "UCS2"]]
        return names.first { _, names in names.contains { name.contains($0) } }?.key ?? 1
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-_.:+()".utf8.contains(byte)
        }
    }

    private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]
    private static let pieceSize = 64 << 10

    /// Converts `bytes`. Each code unit at which they are invalid becomes U+FFFD; an incomplete character at the end
    /// becomes a single U+FFFD.
    ///
    /// - Parameter limit: in bytes of UTF-8.
    /// - Returns: `nil` if the output would exceed `limit`.
    package mutating func utf8(_ bytes: [UInt8], limit: Int) -> (text: [UInt8], replacements: Int)? {
        var output: [UInt8] = []
        output.reserveCapacity(min(limit, bytes.count + bytes.count / 2))
        var input = bytes
        var replacements = 0
        var position = 0
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        while position < input.count {
            let (used, made, failure) = convert(&input, from: position, into: &piece)
            output += piece[..<made]
            position += used
            guard output.count <= limit else { return nil }
            guard failure == EILSEQ || failure == EINVAL else { continue }
            output += Self.replacement
            replacements += 1
            // EINVAL: the input ends in the middle of a character.
            position = failure == EINVAL ? input.count : position + unit
        }
        return (output, replacements)
    }

    /// Calls `iconv` once. `failure` is 0 on success, `E2BIG` if `piece` is full, or the `errno` for invalid input.
    private func convert(
        _ input: inout [UInt8],
        from position: Int,
        into piece: inout [UInt8]
    ) -> (used: Int, made: Int, failure: CInt) {
        let inputCount = input.count
        return unsafe input.withUnsafeMutableBytes { source in
            unsafe piece.withUnsafeMutableBytes { target in
                var next = unsafe source.baseAddress?.advanced(by: position).assumingMemoryBound(to: CChar.self)
                var left = inputCount - position
                var free = target.count
                var into = unsafe target.baseAddress?.assumingMemoryBound(to: CChar.self)
                let status = unsafe iconv(descriptor, &next, &left, &into, &free)
                let failure = status == -1 ? errno : 0
                return (inputCount - position - left, target.count - free, failure)
            }
        }
    }
}
