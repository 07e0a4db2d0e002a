// SPDX-License-Identifier: Apache-2.0

internal import CSystemd

extension BusMessage {
    func append(_ values: [DBusValue]) throws(BusError) {
        for value in values { try append(value) }
    }

    private func append(_ value: DBusValue) throws(BusError) {
        switch value {
        case .boolean(let value): try append("b", CInt(value ? 1 : 0))
        case .int32(let value): try append("i", value)
        case .int64(let value): try append("x", value)
        case .double(let value): try append("d", value)
        case .string(let text): try append("s", text: text)
        case .objectPath(let path): try append("o", text: path)
        case .strings(let texts):
            try container("a", "s") { () throws(BusError) in
                for text in texts { try append("s", text: text) }
            }
        case .dictionary(let entries):
            try container("a", "{sv}") { () throws(BusError) in
                for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
                    try container("e", "sv") { () throws(BusError) in
                        try append("s", text: key)
                        try append(.variant(value))
                    }
                }
            }
        case .variant(let content):
            try container("v", content.signature) { () throws(BusError) in try append(content) }
        }
    }

    private func append<Value: BitwiseCopyable>(_ type: Unicode.Scalar, _ value: Value) throws(BusError) {
        let status = unsafe withUnsafeBytes(of: value) { bytes in
            unsafe sd_bus_message_append_basic(pointer, CChar(truncatingIfNeeded: type.value), bytes.baseAddress)
        }
        try checked(status, by: "sd_bus_message_append_basic")
    }

    private func append(_ type: Unicode.Scalar, text: String) throws(BusError) {
        let status = unsafe text.dbusText.withCString { text in
            unsafe sd_bus_message_append_basic(pointer, CChar(truncatingIfNeeded: type.value), text)
        }
        try checked(status, by: "sd_bus_message_append_basic")
    }

    private func container(
        _ type: Unicode.Scalar,
        _ contents: String,
        _ body: () throws(BusError) -> Void
    ) throws(BusError) {
        let kind = CChar(truncatingIfNeeded: type.value)
        try checked(unsafe sd_bus_message_open_container(pointer, kind, contents), by: "sd_bus_message_open_container")
        try body()
        try checked(unsafe sd_bus_message_close_container(pointer), by: "sd_bus_message_close_container")
    }
}
