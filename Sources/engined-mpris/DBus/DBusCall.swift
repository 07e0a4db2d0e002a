// SPDX-License-Identifier: Apache-2.0

/// A method call received from the bus.
struct DBusCall: Hashable, Sendable {
    /// Unique within the connection; replies refer to it.
    var id: UInt64
    var path: String
    /// `nil` when the caller left it out, which D-Bus allows.
    var interface: String?
    var member: String
    var arguments: [DBusValue]

    /// The arguments one by one, for pattern matching. None of the player's methods takes more than three.
    var first: DBusValue? { argument(0) }
    var second: DBusValue? { argument(1) }
    var third: DBusValue? { argument(2) }

    private func argument(_ index: Int) -> DBusValue? { arguments.indices.contains(index) ? arguments[index] : nil }
}

/// The error reply to a call.
struct DBusError: Error, Hashable, Sendable {
    /// Such as `org.freedesktop.DBus.Error.Failed`.
    var name: String
    var message: String

    init(_ kind: Kind, _ message: String) {
        name = "org.freedesktop.DBus.Error.\(kind.rawValue)"
        self.message = message
    }

    /// The standard error names of D-Bus (dbus-protocol.h) that are used here.
    enum Kind: String {
        case failed = "Failed"
        case fileNotFound = "FileNotFound"
        case invalidArguments = "InvalidArgs"
        case limitsExceeded = "LimitsExceeded"
        case notSupported = "NotSupported"
        case propertyReadOnly = "PropertyReadOnly"
        case unknownInterface = "UnknownInterface"
        case unknownMethod = "UnknownMethod"
        case unknownObject = "UnknownObject"
        case unknownProperty = "UnknownProperty"
    }
}

/// A message to send on the bus.
enum DBusOutput: Hashable, Sendable {
    /// The reply to the call with this id.
    case reply(UInt64, [DBusValue])
    case failure(UInt64, DBusError)
    /// A signal of the player's object.
    case signal(interface: String, member: String, [DBusValue])
}
