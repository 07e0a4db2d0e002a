// SPDX-License-Identifier: Apache-2.0

/// An attribute list (RFC 8216 §4.2) as a dictionary, with quotes removed.
package struct PlaylistAttributes: Hashable, Sendable {
    package private(set) var values: [String: String] = [:]
    /// Syntax errors in the list.
    package private(set) var faults: [String] = []

    package init(_ text: Substring) {
        var rest = text
        while !rest.isEmpty {
            guard let equals = rest.firstIndex(of: "=") else {
                faults.append("\"\(rest.prefix(40))\" has no value")
                return
            }
            let name = String(rest[..<equals])
            rest = rest[rest.index(after: equals)...]
            let value = Self.takeValue(from: &rest)
            guard let value else {
                faults.append("\(name) has an unterminated quote")
                return
            }
            if name.isEmpty || !name.allSatisfy({ $0.isASCII && ($0.isUppercase || $0.isNumber || $0 == "-") }) {
                faults.append("\"\(name)\" is not a valid attribute name")
            }
            if values.updateValue(value, forKey: name) != nil { faults.append("\(name) appears twice") }
            guard let comma = rest.first else { return }
            if comma != "," { faults.append("\(name) is followed by \"\(comma)\", not by a comma") }
            rest = rest.dropFirst()
        }
    }

    package subscript(_ name: String) -> String? { values[name] }

    private static func takeValue(from rest: inout Substring) -> String? {
        guard rest.first == "\"" else {
            let value = rest.prefix { $0 != "," }
            rest = rest[value.endIndex...]
            return String(value)
        }
        rest = rest.dropFirst()
        guard let end = rest.firstIndex(of: "\"") else { return nil }
        defer { rest = rest[rest.index(after: end)...] }
        return String(rest[..<end])
    }
}
