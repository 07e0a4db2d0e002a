// SPDX-License-Identifier: Apache-2.0

package import Bindings

/// Decides to which addresses one source may connect. Pure.
///
/// A source may not connect to an address of a narrower scope than an earlier address, neither after a redirect nor
/// when the address of a host name changes.
package struct AddressPolicy: Sendable {
    package enum Refusal: Hashable, Sendable {
        case malformed
        case forbidden
        /// The address of one of this engine's own servers.
        case ownServer
        case descends(from: AddressScope, to: AddressScope)
    }

    private let ownPorts: Set<Int>
    /// The widest scope of an allowed address so far.
    package private(set) var highest: AddressScope

    /// - Parameters:
    ///   - ownPorts: the ports at which this engine listens.
    ///   - scope: the widest scope of the source that names this one; `forbidden` if no source does.
    package init(ownPorts: Set<Int>, ledBy scope: AddressScope = .forbidden) {
        self.ownPorts = ownPorts
        highest = scope
    }

    /// The reason why the address is refused. `nil` if it is allowed; its scope is then the minimum for later
    /// addresses.
    ///
    /// - Parameter local: the address of this machine's end of the connection; empty before it is opened. If both ends
    ///   have the same address, this machine is connected to itself.
    package mutating func judge(_ text: String, port: Int, from local: String = "") -> Refusal? {
        guard let address = IPAddress(text) else { return .malformed }
        let scope = address.scope
        if scope == .forbidden { return .forbidden }
        let isOwn = scope == .loopback || IPAddress(local).map { $0.plain == address.plain } ?? false
        if isOwn, ownPorts.contains(port) { return .ownServer }
        if scope < highest { return .descends(from: highest, to: scope) }
        highest = scope
        return nil
    }

    /// Checks a URL whose host is a numeric address, before connecting. For a host name, the address that it resolves
    /// to is checked later.
    package mutating func judge(_ url: ResourceURL) -> Refusal? {
        guard IPAddress(url.origin.host) != nil else { return nil }
        return judge(url.origin.host, port: url.origin.port)
    }
}
