// SPDX-License-Identifier: Apache-2.0

/// A D-Bus value, of the types that the player interface uses (D-Bus Specification, "Type System").
enum DBusValue: Hashable, Sendable {
    case boolean(Bool)
    case int32(Int32)
    case int64(Int64)
    case double(Double)
    case string(String)
    case objectPath(String)
    case strings([String])
    /// `a{sv}`.
    case dictionary([String: DBusValue])
    indirect case variant(DBusValue)

    /// The type code of a single value, such as `x` or `a{sv}`.
    var signature: String {
        switch self {
        case .boolean: "b"
        case .int32: "i"
        case .int64: "x"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .strings: "as"
        case .dictionary: "a{sv}"
        case .variant: "v"
        }
    }
}

extension DBusValue {
    /// The content of a variant, or the value itself.
    var content: DBusValue {
        if case .variant(let value) = self { value } else { self }
    }

    /// The value of any numeric type: clients are not strict about the type they send.
    var number: Double? {
        switch self {
        case .double(let value): value
        case .int32(let value): Double(value)
        case .int64(let value): Double(value)
        default: nil
        }
    }

    var text: String? { if case .string(let value) = self { value } else { nil } }
}
