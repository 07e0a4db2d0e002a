// SPDX-License-Identifier: Apache-2.0

internal import CSystemd

/// One bus message, incoming or outgoing. Owned by the thread of its connection.
@safe final class BusMessage {
    let pointer: OpaquePointer

    /// Takes ownership of one reference.
    init(adopting pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe sd_bus_message_unref(pointer) }

    var isMethodCall: Bool { unsafe sd_bus_message_is_method_call(pointer, nil, nil) > 0 }
    var path: String { unsafe Self.string(sd_bus_message_get_path(pointer)) ?? "" }
    var interface: String? { unsafe Self.string(sd_bus_message_get_interface(pointer)) }
    var member: String { unsafe Self.string(sd_bus_message_get_member(pointer)) ?? "" }

    private static func string(_ text: UnsafePointer<CChar>?) -> String? {
        unsafe text.map { unsafe String(cString: $0) }
    }

    // MARK: Reading

    /// The maximum number of arguments that are read; more than any method of the player takes.
    private static let argumentLimit = 16

    /// Reads all arguments.
    ///
    /// - Throws: `invalidArguments` for types that no method of the player takes, and for too many arguments.
    func arguments() throws(DBusError) -> [DBusValue] {
        var values: [DBusValue] = []
        while let value = try next() {
            guard values.count < Self.argumentLimit else { throw DBusError(.invalidArguments, "too many arguments") }
            values.append(value)
        }
        return values
    }

    /// The next value at this depth, `nil` at the end (sd_bus_message_peek_type(3)).
    private func next(isInVariant: Bool = false) throws(DBusError) -> DBusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        let status = unsafe sd_bus_message_peek_type(pointer, &type, &contents)
        guard status >= 0 else { throw .unreadable }
        guard status > 0 else { return nil }
        switch UInt8(bitPattern: type) {
        case UInt8(ascii: "b"): return .boolean(try basic(type, CInt(0)) != 0)
        case UInt8(ascii: "i"): return .int32(try basic(type, Int32(0)))
        case UInt8(ascii: "u"): return .int64(Int64(try basic(type, UInt32(0))))
        case UInt8(ascii: "x"): return .int64(try basic(type, Int64(0)))
        case UInt8(ascii: "d"): return .double(try basic(type, Double(0)))
        case UInt8(ascii: "s"): return .string(try text(type))
        case UInt8(ascii: "o"): return .objectPath(try text(type))
        case UInt8(ascii: "v") where !isInVariant:
            guard unsafe sd_bus_message_enter_container(pointer, type, contents) > 0 else { throw .unreadable }
            guard let content = try next(isInVariant: true) else { throw .unreadable }
            guard unsafe sd_bus_message_exit_container(pointer) >= 0 else { throw .unreadable }
            return .variant(content)
        case let other:
            throw DBusError(.invalidArguments, "type \(Character(UnicodeScalar(other))) is not supported")
        }
    }

    private func basic<Value: BitwiseCopyable>(_ type: CChar, _ zero: Value) throws(DBusError) -> Value {
        var value = zero
        guard unsafe sd_bus_message_read_basic(pointer, type, &value) > 0 else { throw .unreadable }
        return value
    }

    private func text(_ type: CChar) throws(DBusError) -> String {
        var text: UnsafePointer<CChar>?
        guard unsafe sd_bus_message_read_basic(pointer, type, &text) > 0, let text = unsafe text else {
            throw .unreadable
        }
        return unsafe String(cString: text)
    }
}

extension DBusError {
    fileprivate static let unreadable = DBusError(.invalidArguments, "the arguments cannot be parsed")
}
