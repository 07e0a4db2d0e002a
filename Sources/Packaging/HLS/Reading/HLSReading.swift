// SPDX-License-Identifier: Apache-2.0

/// State shared by the readers of both kinds of playlist: the base URL, variables, notices, and the amount of text
/// derived by resolving URLs and replacing variables.
struct HLSReading {
    let url: String
    private let base: URLReference
    /// Variables of the multivariant playlist.
    private let imported: [String: String]
    private(set) var variables: [String: String] = [:]
    var notices = HLSNotices()
    private var hasDefinitions = false
    private var derivedBytes = 0
    /// The last reference and its target, so that byte ranges of one resource share one string.
    private var last: (reference: String, target: String) = ("", "")

    init(url: String, importing imported: [String: String]) {
        self.url = url
        base = URLReference(url)
        self.imported = imported
    }

    mutating func note(_ kind: HLSNotice.Kind, _ line: Int, _ found: @autoclosure () -> String = "") {
        notices.add(kind, line: line, found())
    }

    /// Resolves a reference against the playlist's URL. Its variables must already be replaced.
    mutating func resolve(_ reference: String, line: Int) throws(HLSPlaylistError) -> String {
        if reference == last.reference { return last.target }
        let target = base.resolving(reference)
        try count(target.utf8.count, line: line)
        last = (reference, target)
        return target
    }

    private mutating func count(_ bytes: Int, line: Int) throws(HLSPlaylistError) {
        derivedBytes += bytes
        guard derivedBytes <= HLSLimits.derivedBytes else { throw HLSPlaylistError(.expandsTooMuch, line: line) }
    }

    /// EXT-X-DEFINE (draft-pantos-hls-rfc8216bis §4.4.2.3).
    mutating func define(_ value: ArraySlice<UInt8>, line: Int) throws(HLSPlaylistError) {
        let tag = "EXT-X-DEFINE"
        let attributes = try HLSAttributes(value, tag: tag, line: line, reading: &self)
        hasDefinitions = true
        if let name = attributes.string("NAME", &self) {
            guard let value = attributes.raw("VALUE") else { throw attributes.missing("VALUE") }
            return try define(name, value, line: line)
        }
        if let name = attributes.string("IMPORT", &self) {
            guard let value = imported[name] else {
                throw HLSPlaylistError(.undefinedVariable(name), line: line, tag: tag)
            }
            return try define(name, value, line: line)
        }
        if let name = attributes.string("QUERYPARAM", &self) {
            guard let value = base.queryValue(name) else {
                throw HLSPlaylistError(.undefinedVariable(name), line: line, tag: tag)
            }
            return try define(name, Self.percentDecoded(value), line: line)
        }
        throw attributes.missing("NAME")
    }

    private mutating func define(_ name: String, _ value: String, line: Int) throws(HLSPlaylistError) {
        if let known = variables[name] {
            guard known == value else {
                throw HLSPlaylistError(.contradiction, line: line, tag: "EXT-X-DEFINE", found: name)
            }
            return note(.variableDefinedAgain, line, name)
        }
        guard variables.count < HLSLimits.variables else {
            throw HLSPlaylistError(.tooManyVariables, line: line, tag: "EXT-X-DEFINE")
        }
        try count(value.utf8.count, line: line)
        variables[name] = value
    }

    /// Replaces variable references with their values (§4.3). Values are not searched for further references.
    mutating func replacingVariables(_ text: String, tag: String, line: Int) throws(HLSPlaylistError) -> String {
        guard text.utf8.contains(UInt8(ascii: "{")), text.contains("{$") else { return text }
        var result = ""
        var rest = Substring(text)
        while let start = rest.firstRange(of: "{$") {
            let tail = rest[start.upperBound...]
            let name = tail.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
            guard !name.isEmpty, name.endIndex < tail.endIndex, tail[name.endIndex] == "}" else {
                result += rest[..<start.upperBound]
                rest = tail
                continue
            }
            if let value = variables[String(name)] {
                result += rest[..<start.lowerBound]
                result += value
            } else {
                guard !hasDefinitions else {
                    throw HLSPlaylistError(.undefinedVariable(String(name)), line: line, tag: tag)
                }
                note(.literalVariable, line, text)
                result += rest[...name.endIndex]
            }
            guard result.utf8.count <= HLSLimits.lineBytes else {
                throw HLSPlaylistError(.lineTooLong, line: line, tag: tag)
            }
            rest = tail[tail.index(after: name.endIndex)...]
        }
        result += rest
        guard result.utf8.count <= HLSLimits.lineBytes else {
            throw HLSPlaylistError(.lineTooLong, line: line, tag: tag)
        }
        try count(result.utf8.count, line: line)
        return result
    }

    /// Decodes percent escapes, and `+` as a space. Invalid UTF-8 is repaired.
    private static func percentDecoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap(HLSSyntax.hexDigit)
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                bytes.append(digits[0] << 4 | digits[1])
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
