// SPDX-License-Identifier: Apache-2.0

/// A JSON value (RFC 8259). Members keep their order, so that output is stable.
package enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case whole(Int64)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([Member])

    package struct Member: Hashable, Sendable {
        package let name: String
        package let value: JSON

        package init(name: String, value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// An object of those members that are not `nil`.
    package static func object(_ members: (String, JSON?)...) -> JSON {
        .object(members.compactMap { member in member.1.map { Member(name: member.0, value: $0) } })
    }

    /// A whole number, clamped to 64 bits.
    package static func integer(_ value: some BinaryInteger) -> JSON { .whole(Int64(clamping: value)) }

    /// The value on one line.
    package var text: String {
        var result = ""
        write(to: &result, indent: nil)
        return result
    }

    /// The value indented by two spaces per level.
    package var indentedText: String {
        var result = ""
        write(to: &result, indent: 0)
        return result
    }

    private func write(to text: inout String, indent: Int?) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .whole(let value): text += "\(value)"
        // JSON cannot represent infinity or NaN.
        case .number(let value): text += value.isFinite ? "\(value)" : "null"
        case .string(let value): Self.write(value, to: &text)
        case .array(let values):
            Self.write(values, brackets: ("[", "]"), to: &text, indent: indent) { $0.write(to: &$1, indent: $2) }
        case .object(let members):
            Self.write(members, brackets: ("{", "}"), to: &text, indent: indent) { member, text, indent in
                Self.write(member.name, to: &text)
                text += indent == nil ? ":" : ": "
                member.value.write(to: &text, indent: indent)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element],
        brackets: (String, String),
        to text: inout String,
        indent: Int?,
        each: (Element, inout String, Int?) -> Void
    ) {
        text += brackets.0
        let inner = indent.map { $0 + 2 }
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            if let inner { text += "\n" + String(repeating: " ", count: inner) }
            each(element, &text, inner)
        }
        if let indent, !elements.isEmpty { text += "\n" + String(repeating: " ", count: indent) }
        text += brackets.1
    }

    private static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
