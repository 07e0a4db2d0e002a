// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

/// A connection to the user's session bus (sd_bus_open_user(3)). Owned by one thread.
///
/// No object is registered with libsystemd: `next` returns the calls to every path, and its caller must reply.
@safe struct SessionBus: ~Copyable {
    private let pointer: OpaquePointer

    init() throws(BusError) {
        var bus: OpaquePointer?
        try checked(unsafe sd_bus_open_user_with_description(&bus, "engined-mpris"), by: "sd_bus_open_user")
        guard let bus = unsafe bus else { throw BusError(function: "sd_bus_open_user", errnoCode: EINVAL) }
        unsafe pointer = bus
    }

    deinit { unsafe sd_bus_flush_close_unref(pointer) }

    /// Returns whether the name was acquired; `false` when another process owns it.
    func request(name: String) throws(BusError) -> Bool {
        let status = unsafe sd_bus_request_name(pointer, name, 0)
        if status == -EEXIST { return false }
        try checked(status, by: "sd_bus_request_name")
        return true
    }

    enum Event {
        case message(BusMessage)
        /// libsystemd did internal work; there may be more to read.
        case progress
        /// There is nothing to do without waiting.
        case idle
    }

    /// Reads and writes as much as possible without blocking (sd_bus_process(3)).
    func next() throws(BusError) -> Event {
        var message: OpaquePointer?
        let status = try checked(unsafe sd_bus_process(pointer, &message), by: "sd_bus_process")
        if let message = unsafe message { return .message(unsafe BusMessage(adopting: message)) }
        return status > 0 ? .progress : .idle
    }

    /// Waits until `next` has work to do or `wakeup` is signalled.
    func wait(_ wakeup: Wakeup) throws(BusError) {
        let events = try checked(unsafe sd_bus_get_events(pointer), by: "sd_bus_get_events")
        let descriptor = try checked(unsafe sd_bus_get_fd(pointer), by: "sd_bus_get_fd")
        try wakeup.wait(orFor: descriptor, events: events, milliseconds: timeout())
    }

    /// Milliseconds until libsystemd has internal work to do, 60,000 at most. -1: no time limit.
    private func timeout() throws(BusError) -> CInt {
        var due: UInt64 = 0
        try checked(unsafe sd_bus_get_timeout(pointer, &due), by: "sd_bus_get_timeout")
        guard due != .max else { return -1 }
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
        return due <= microseconds ? 0 : CInt(min((due - microseconds) / 1000 + 1, 60_000))
    }

    // MARK: Sending

    func reply(to call: BusMessage, _ values: [DBusValue]) throws(BusError) {
        var message: OpaquePointer?
        let status = unsafe sd_bus_message_new_method_return(call.pointer, &message)
        try unsafe send(message, status, values, by: "sd_bus_message_new_method_return")
    }

    func reply(to call: BusMessage, _ error: DBusError) throws(BusError) {
        var message: OpaquePointer?
        let status = unsafe error.name.withCString { name in
            unsafe error.message.dbusText.withCString { text in
                var wire = unsafe sd_bus_error(name: name, message: text, _need_free: 0)
                return unsafe sd_bus_message_new_method_error(call.pointer, &message, &wire)
            }
        }
        try unsafe send(message, status, [], by: "sd_bus_message_new_method_error")
    }

    func signal(path: String, _ interface: String, _ member: String, _ values: [DBusValue]) throws(BusError) {
        var message: OpaquePointer?
        let status = unsafe sd_bus_message_new_signal(pointer, &message, path, interface, member)
        try unsafe send(message, status, values, by: "sd_bus_message_new_signal")
    }

    private func send(
        _ message: OpaquePointer?,
        _ status: CInt,
        _ values: [DBusValue],
        by function: String
    ) throws(BusError) {
        try checked(status, by: function)
        guard let message = unsafe message else { throw BusError(function: function, errnoCode: EINVAL) }
        let owned = unsafe BusMessage(adopting: message)
        try owned.append(values)
        try checked(unsafe sd_bus_send(pointer, owned.pointer, nil), by: "sd_bus_send")
    }
}
