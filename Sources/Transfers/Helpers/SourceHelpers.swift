// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// The helpers that read sources that are neither files nor on servers whose protocol the engine speaks: a program for
/// each scheme, and the processes that registered a source.
///
/// Thread-safety: safe.
package final class SourceHelpers: Sendable {
    /// The scheme of the URLs of registered sources.
    package static let registeredScheme = "source"
    /// The number of sources that can be registered at a time.
    package static let registeredLimit = 64

    private struct Registered {
        let socket: PacketSocket
        let loop: HelperLoop
    }

    /// The schemes whose programs come with the engine, each in a package of its own.
    private static let packagedSchemes: Set = ["smb", "nfs"]

    /// The path of the program for each scheme.
    private let programs: [String: String]
    private let folders: [String]
    private let registered = Locked<[String: Registered]>([:])

    /// - Parameters:
    ///   - programs: the absolute path of the program for each scheme.
    ///   - folders: the folders to search for the program `engined-source-SCHEME` of any other scheme.
    package init(programs: [String: String] = [:], folders: [String] = []) {
        self.programs = programs
        self.folders = folders
    }

    /// The carrier of a source. `nil` for a source that needs no helper.
    func carrier(for url: ResourceURL) throws(EngineError) -> (any TransferCarrier)? {
        guard url.scheme == .helper else { return nil }
        switch url.schemeName {
        case Self.registeredScheme:
            guard let source = registered.withLock({ $0[url.origin.host] }) else {
                throw EngineError(.sourceNotFound, "\(url.shown) is not registered, or no longer registered")
            }
            return source.loop
        case let scheme:
            guard let program = program(for: scheme) else {
                let name = "engined-source-\(scheme)"
                let hint = Self.packagedSchemes.contains(scheme) ? " (Debian package \(name))" : ""
                throw EngineError(
                    .invalidArgument,
                    "\(scheme):// sources are not supported: there is no program \(name)\(hint)",
                    field: "source"
                )
            }
            do throws(Errno) {
                return HelperLoop(.program(path: program), try SocketWaiter())
            } catch {
                throw EngineError(.resourceExhausted, "no helper was started for \(url.shown): \(error)")
            }
        }
    }

    /// The program that reads the sources of a scheme.
    private func program(for scheme: String) -> String? {
        programs[scheme]
            ?? folders.map { "\($0)/engined-source-\(scheme)" }.first { Executable.exists(at: $0) }
    }

    /// - Throws: `resourceExhausted` if the maximum number of sources is registered.
    func requirePlace() throws(EngineError) {
        let count = registered.withLock { registered in
            Self.removeEnded(from: &registered)
            return registered.count
        }
        guard count < Self.registeredLimit else {
            throw EngineError(.resourceExhausted, "\(Self.registeredLimit) sources are already registered")
        }
    }

    /// Removes the sources whose processes have ended.
    private static func removeEnded(from registered: inout [String: Registered]) {
        registered = registered.filter { !$0.value.socket.isOver }
    }

    /// The URL of a registered source.
    static func url(ofRegistered name: String) -> String { "\(registeredScheme)://\(name)" }

    private func add(_ source: Registered, as name: String) -> Bool {
        registered.withLock { registered in
            Self.removeEnded(from: &registered)
            guard registered.count < Self.registeredLimit else { return false }
            registered[name] = source
            return true
        }
    }

    /// Adds a source that another process provides.
    ///
    /// - Parameter give: sends the process the descriptor of its end of the socket; returns whether that succeeded. It
    ///   is called only if there is a place for the source. The source can then be opened already.
    /// - Returns: `false` if there are too many sources, no descriptors are left, or the process did not receive its
    ///   end.
    func register(as name: String, _ give: (CInt) -> Bool) -> Bool {
        do throws(Errno) {
            let waiter = try SocketWaiter()
            let socket = try PacketSocket.connected { socket, other in
                let loop = HelperLoop(.client(socket, url: Self.url(ofRegistered: name)), waiter)
                return add(Registered(socket: socket, loop: loop), as: name) && give(other)
            }
            if socket == nil { _ = registered.withLock { $0.removeValue(forKey: name) } }
            return socket != nil
        } catch {
            return false
        }
    }
}
