// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// The service manager that started this process, if any: its notification socket, its watchdog and the listening
/// sockets that it passed to this process (sd_notify(3), sd_watchdog_enabled(3), sd_listen_fds(3)).
///
/// Thread-safety: safe.
package struct ServiceManager: Sendable {
    /// The first passed descriptor (`SD_LISTEN_FDS_START`).
    private static let firstDescriptor: CInt = 3

    /// A path, or `@` and the name of an abstract socket.
    private let notifySocket: String?
    /// How often to send the watchdog a keep-alive: half the manager's timeout. `nil`: the manager expects none.
    package let watchdogInterval: Duration?
    /// Sockets that are already listening, by the `FileDescriptorName` of their unit.
    package let listeners: [(name: String, descriptor: CInt)]

    /// - Parameters:
    ///   - environment: the environment of this process.
    ///   - process: the id of this process. Variables meant for another process, such as the parent, are ignored.
    package init(environment: [String: String], process: Int32) {
        let path = environment["NOTIFY_SOCKET"]
        notifySocket = path.flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isWatched = environment["WATCHDOG_PID"].map { $0 == "\(process)" } ?? true
        watchdogInterval = environment["WATCHDOG_USEC"].flatMap { Int64($0) }
            .flatMap { isWatched && $0 > 0 ? .microseconds($0 / 2) : nil }
        guard environment["LISTEN_PID"] == "\(process)",
            let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), (1...16).contains(count)
        else {
            listeners = []
            return
        }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        listeners = (0..<count).map { index in
            let name = names.indices.contains(Int(index)) ? String(names[Int(index)]) : ""
            return (name, Self.firstDescriptor + index)
        }
    }

    /// Notifies the manager, for example `READY=1` or `STATUS=2 sessions`. Has no effect without a manager, or if the
    /// manager does not listen.
    package func notify(_ assignments: String...) {
        guard let notifySocket else { return }
        unsafe csystem_send_datagram(notifySocket, assignments.joined(separator: "\n"))
    }
}
