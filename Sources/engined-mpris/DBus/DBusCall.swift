// SPDX-License-Identifier: Apache-2.0

/// A method call that came in over the bus.
struct DBusCall: Hashable, Sendable {
    /// One number a call: what an answer refers to.
    var id: UInt64
    var path: String
    /// `nil` when the caller left it out, which D-Bus allows.
    var interface: String?
    var member: String
    var arguments: [DBusValue]

    /// The arguments one by one, for patterns. No method of ours takes more than three.
    var first: DBusValue? { argument(0) }
    var second: DBusValue? { argument(1) }
    var third: DBusValue? { argument(2) }

    private func argument(_ index: Int) -> DBusValue? { arguments.indices.contains(index) ? arguments[index] : nil }
}

/// The error that a call is answered with.
struct DBusError: Error, Hashable, Sendable {
    /// As `org.freedesktop.DBus.Error.Failed`.
    var name: String
    var message: String

    init(_ kind: Kind, _ message: String) {
        name = "org.freedesktop.DBus.Error.\(kind.rawValue)"
        self.message = message
    }

    /// The standard errors of the reference bus (dbus-protocol.h) that are used here.
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

/// What goes out over the bus.
enum DBusOutput: Hashable, Sendable {
    /// The answer to the call with this id.
    case reply(UInt64, [DBusValue])
    case failure(UInt64, DBusError)
    /// A signal of the player's object.
    case signal(interface: String, member: String, [DBusValue])
}
