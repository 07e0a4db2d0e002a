// SPDX-License-Identifier: Apache-2.0

/// The lines of a text, without leading spaces. CR and LF each terminate a line, so CRLF gives an additional empty
/// line. Pure.
struct TextLines: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes
    }

    mutating func next() -> TextLine? {
        guard !rest.isEmpty else { return nil }
        let end = rest.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? rest.endIndex
        let line = rest[rest.startIndex..<end]
        rest = rest[end...].dropFirst()
        return TextLine(bytes: line.drop { $0 == 0x20 || $0 == 0x09 })
    }
}

/// One line, with tests for known formats.
struct TextLine {
    let bytes: ArraySlice<UInt8>

    var isBlank: Bool { bytes.allSatisfy { $0 <= 0x20 } }

    /// - Parameter word: in lower case.
    func startsIgnoringCase(_ word: String) -> Bool {
        bytes.prefix(word.utf8.count).elementsEqual(word.utf8) { byte, letter in
            ((0x41...0x5A).contains(byte) ? byte | 0x20 : byte) == letter
        }
    }

    /// Whether the line starts an HTML or XML page.
    var isMarkup: Bool {
        ["<!doctype", "<html", "<head", "<?xml", "<body", "<!--"].contains { startsIgnoringCase($0) }
    }

    /// `00:00:01,000 --> 00:00:02,000`; periods are also accepted.
    var isSubRipTiming: Bool {
        var scanner = LineScanner(bytes)
        return scanner.number() && scanner.take(":") && scanner.number() && scanner.take(":") && scanner.number()
            && (scanner.take(",") || scanner.take(".")) && scanner.number() && scanner.arrow()
    }

    /// `00:01.000 --> 00:02.000` (WebVTT §6.3, times without hours).
    var isShortTiming: Bool {
        var scanner = LineScanner(bytes)
        return scanner.number() && scanner.take(":") && scanner.number() && scanner.take(".") && scanner.number()
            && scanner.arrow()
    }

    /// `{10}{20}text`, in frames; the end may be missing.
    var isMicroDVD: Bool {
        var scanner = LineScanner(bytes)
        guard scanner.take("{"), scanner.number(), scanner.take("}"), scanner.take("{") else { return false }
        _ = scanner.number()
        return scanner.take("}")
    }

    /// `00:00:01.00,00:00:02.00`.
    var isSubViewerTiming: Bool {
        var scanner = LineScanner(bytes)
        for _ in 0..<2 {
            guard scanner.number(), scanner.take(":"), scanner.number(), scanner.take(":"), scanner.number(),
                scanner.take("."), scanner.number()
            else { return false }
            _ = scanner.take(",")
        }
        return true
    }
}

/// Scans a line from its start.
private struct LineScanner {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func number() -> Bool {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        rest = rest.dropFirst(digits.count)
        return !digits.isEmpty
    }

    mutating func take(_ character: Character) -> Bool {
        guard let first = rest.first, first == character.asciiValue else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Scans an arrow, with optional spaces around it, followed by a digit.
    mutating func arrow() -> Bool {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
        guard take("-"), take("-"), take(">") else { return false }
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
        return number()
    }
}
