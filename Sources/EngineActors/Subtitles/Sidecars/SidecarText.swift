// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// The text of a subtitle file, converted to UTF-8.
struct SidecarText {
    let bytes: [UInt8]
    /// The original encoding, declared or detected.
    let charset: String

    private static let byteLimit = 128 << 20
    private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

    /// - Parameters:
    ///   - charset: the declared encoding; empty: it is detected.
    ///   - place: the location of the file, for error messages.
    init(_ bytes: [UInt8], charset: String, place: SidecarLocation) throws(EngineError) {
        let (name, start) = charset.isEmpty ? Self.charset(of: bytes) : (charset, 0)
        guard var converter = CharsetConverter(name) else {
            throw EngineError(.invalidArgument, "charset \(name) is unknown", field: "charset")
        }
        guard var text = converter.utf8(Array(bytes[start...]), limit: Self.byteLimit)?.text else {
            throw EngineError(
                .resourceExhausted,
                "the text of \(place.shown) has more than \(Self.byteLimit >> 20) MiB"
            )
        }
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
        if text.contains(0) { text = text.flatMap { $0 == 0 ? Self.replacement : [$0] } }
        self.bytes = text
        self.charset = name.uppercased()
    }

    /// The detected charset, and the length of the byte order mark.
    private static func charset(of bytes: [UInt8]) -> (name: String, markLength: Int) {
        let (encoding, markLength) = TextEncoding.of(bytes)
        if let name = encoding.charset { return (name, markLength) }
        let guess = CharsetDetector.guess(nonASCIILines(bytes)).map(TextEncoding.name(ofDetected:))
        guard let guess, CharsetConverter(guess) != nil else { return (TextEncoding.usual, 0) }
        return (guess, 0)
    }

    /// The lines with non-ASCII text, on which detection is based: about a megabyte at most. Times and names in ASCII
    /// would distort the statistics.
    private static func nonASCIILines(_ bytes: [UInt8]) -> [UInt8] {
        var lines: [UInt8] = []
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: true)
        where line.contains(where: { $0 >= 0x80 || $0 == 0x1B }) {
            lines += line
            lines.append(0x0A)
            if lines.count > 1 << 20 { break }
        }
        return lines
    }
}
