// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The attribute list of one tag (RFC 8216 §4.2): quotes removed, variables replaced.
struct HLSAttributes {
    struct Attribute {
        let name: String
        var value: String
        let isQuoted: Bool
    }

    let tag: String
    let line: Int
    /// Each name once, in the order of first appearance.
    private(set) var list: [Attribute] = []
    /// Whether a quote is not closed, text follows a closing quote, a name has no value, or an attribute appears twice
    /// with different values.
    private(set) var isDoubtful = false

    init(
        _ value: ArraySlice<UInt8>,
        tag: String,
        line: Int,
        reading: inout HLSReading
    ) throws(HLSPlaylistError) {
        self.tag = tag
        self.line = line
        var rest = value
        var hasSpaces = false
        func skipSpaces() {
            let tail = rest.drop { $0 == 0x20 || $0 == 0x09 }
            hasSpaces = hasSpaces || tail.count != rest.count
            rest = tail
        }
        while true {
            skipSpaces()
            guard !rest.isEmpty else { break }
            let end = rest.firstIndex { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ",") } ?? rest.endIndex
            let name = HLSLines.trimmed(rest[..<end])
            hasSpaces = hasSpaces || name.count != end - rest.startIndex
            rest = rest[end...]
            guard rest.first == UInt8(ascii: "=") else {
                rest = rest.dropFirst()
                addPiece(String(decoding: name, as: UTF8.self), reading: &reading)
                continue
            }
            rest = rest.dropFirst()
            skipSpaces()
            let isQuoted = rest.first == UInt8(ascii: "\"")
            let text: ArraySlice<UInt8>
            if isQuoted {
                rest = rest.dropFirst()
                let end = rest.firstIndex(of: UInt8(ascii: "\""))
                text = rest[..<(end ?? rest.endIndex)]
                rest = end.map { rest[($0 + 1)...] } ?? []
                if end == nil {
                    isDoubtful = true
                    reading.note(.malformedAttributes, line, "\(tag): a quote is not closed")
                }
                skipSpaces()
                let stray = rest.prefix { $0 != UInt8(ascii: ",") }
                if !stray.isEmpty {
                    isDoubtful = true
                    reading.note(.malformedAttributes, line, String(decoding: stray, as: UTF8.self))
                    rest = rest[stray.endIndex...]
                }
            } else {
                let raw = rest.prefix { $0 != UInt8(ascii: ",") }
                text = HLSLines.trimmed(raw)
                hasSpaces = hasSpaces || text.count != raw.count
                rest = rest[raw.endIndex...]
            }
            rest = rest.dropFirst()
            let value = try reading.replacingVariables(String(decoding: text, as: UTF8.self), tag: tag, line: line)
            try add(
                Attribute(name: String(decoding: name, as: UTF8.self), value: value, isQuoted: isQuoted),
                reading: &reading
            )
        }
        if hasSpaces { reading.note(.spaceInAttributes, line, tag) }
    }

    private mutating func add(_ attribute: Attribute, reading: inout HLSReading) throws(HLSPlaylistError) {
        if let known = list.firstIndex(where: { $0.name == attribute.name }) {
            isDoubtful = isDoubtful || list[known].value != attribute.value
            reading.note(.duplicateAttribute, line, "\(tag): \(attribute.name)")
            list[known] = attribute
            return
        }
        guard list.count < HLSLimits.attributes else {
            throw HLSPlaylistError(.tooManyAttributes, line: line, tag: tag)
        }
        list.append(attribute)
    }

    /// Appends a piece without `=` to the preceding value, whose quotes are missing: `CODECS=avc1.4D401F,mp4a.40.2`.
    private mutating func addPiece(_ piece: String, reading: inout HLSReading) {
        guard !piece.isEmpty else { return }
        reading.note(.malformedAttributes, line, "\(tag): \(piece)")
        isDoubtful = true
        guard let last = list.last, !last.isQuoted else { return }
        list[list.count - 1].value += ",\(piece)"
    }

    private func find(_ name: String) -> Attribute? { list.first { $0.name == name } }

    /// A string, which should be quoted. `nil` if missing or empty.
    func string(_ name: String, _ reading: inout HLSReading) -> String? {
        guard let found = find(name) else { return nil }
        if !found.isQuoted { reading.note(.unquotedString, line, "\(tag): \(name)") }
        return found.value.isEmpty ? nil : found.value
    }

    /// A number or an enumerated value, which should not be quoted. `nil` if missing or empty.
    func word(_ name: String, _ reading: inout HLSReading) -> String? {
        guard let found = find(name) else { return nil }
        if found.isQuoted { reading.note(.quotedValue, line, "\(tag): \(name)") }
        return found.value.isEmpty ? nil : found.value
    }

    /// True for `YES`; false for any other value and for a missing attribute.
    func flag(_ name: String, _ reading: inout HLSReading) -> Bool {
        guard let word = word(name, &reading) else { return false }
        if word != "YES", word != "NO" { reading.note(.malformedAttributes, line, "\(tag): \(name)=\(word)") }
        return word == "YES"
    }

    func integer(_ name: String, _ reading: inout HLSReading) -> Int64? {
        guard let word = word(name, &reading) else { return nil }
        let value = HLSSyntax.integer(word)
        if value == nil { reading.note(.malformedAttributes, line, "\(tag): \(name)=\(word)") }
        return value
    }

    func seconds(_ name: String, _ reading: inout HLSReading) -> MediaTime? {
        guard let word = word(name, &reading) else { return nil }
        let value = HLSSyntax.seconds(word)
        if value == nil { reading.note(.malformedAttributes, line, "\(tag): \(name)=\(word)") }
        return value
    }

    func decimal(_ name: String, _ reading: inout HLSReading) -> Double? {
        guard let word = word(name, &reading) else { return nil }
        let value = HLSSyntax.decimal(word)
        if value == nil { reading.note(.malformedAttributes, line, "\(tag): \(name)=\(word)") }
        return value
    }

    /// A quoted date. `nil` if missing or malformed.
    func date(_ name: String, _ reading: inout HLSReading) -> WallTime? {
        guard let text = string(name, &reading) else { return nil }
        guard let parsed = HLSSyntax.date(text) else {
            reading.note(.malformedAttributes, line, "\(tag): \(name)=\(text)")
            return nil
        }
        if !parsed.hasZone { reading.note(.missingTimeZone, line, text) }
        return parsed.time
    }

    /// Bytes in hexadecimal digits. `nil` if missing or malformed.
    func bytes(_ name: String, _ reading: inout HLSReading) -> [UInt8]? {
        guard let found = find(name), let bytes = HLSSyntax.bytes(found.value) else { return nil }
        if found.value.utf8.dropFirst(2).contains(where: { (0x61...0x66).contains($0) }) {
            reading.note(.lowercaseHex, line, "\(tag): \(name)")
        }
        return bytes
    }

    /// Whether the attribute is present, even if empty.
    func has(_ name: String) -> Bool { find(name) != nil }

    /// The value without quotes, with variables replaced. `nil` if missing.
    func raw(_ name: String) -> String? { find(name)?.value }

    /// A resolved URL. `nil` if missing or empty.
    func url(_ name: String, _ reading: inout HLSReading) throws(HLSPlaylistError) -> String? {
        guard let text = string(name, &reading) else { return nil }
        return try reading.resolve(text, line: line)
    }

    func missing(_ attribute: String) -> HLSPlaylistError {
        HLSPlaylistError(.missing(attribute: attribute), line: line, tag: tag)
    }

    func malformed(_ attribute: String) -> HLSPlaylistError {
        HLSPlaylistError(.malformed(attribute: attribute), line: line, tag: tag, found: raw(attribute) ?? "")
    }
}
