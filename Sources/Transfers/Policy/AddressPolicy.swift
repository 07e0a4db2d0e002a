// SPDX-License-Identifier: Apache-2.0

package import Bindings

/// Decides to which addresses one source may connect. Pure.
///
/// A host may not have an address of a narrower scope than it had before, nor than any host whose redirect led to it. A
/// host that redirects to a wider scope may still be used itself. No address is narrower than the scope of the source
/// that names this one.
package struct AddressPolicy: Sendable {
    package enum Refusal: Hashable, Sendable {
        case malformed
        case forbidden
        /// The address of one of this engine's own servers.
        case ownServer
        case descends(from: AddressScope, to: AddressScope)
    }

    /// The maximum number of hosts that are remembered. Beyond it, all are forgotten, and the widest scope becomes the
    /// minimum.
    private static let hostLimit = 256

    private let ownPorts: Set<Int>
    /// The minimum scope of all addresses: that of the source that names this one, or the widest one of forgotten
    /// hosts.
    private var floor: AddressScope
    /// The widest scope of the allowed addresses of each host.
    private var scopes: [String: AddressScope] = [:]

    /// - Parameters:
    ///   - ownPorts: the ports at which this engine listens.
    ///   - scope: the widest scope of the source that names this one; `forbidden` if no source does.
    package init(ownPorts: Set<Int>, ledBy scope: AddressScope = .forbidden) {
        self.ownPorts = ownPorts
        floor = scope
    }

    /// The widest scope of an allowed address so far.
    package var highest: AddressScope { scopes.values.reduce(floor, max) }

    /// The reason why the address is refused. If it is `nil`, later addresses of the same host, and of hosts to which
    /// that host redirects, may not have a narrower scope.
    ///
    /// - Parameters:
    ///   - local: the address of this machine's end of the connection; empty before it is opened. If both ends have the
    ///     same address, this machine is connected to itself.
    ///   - hosts: the hosts of the route, from that of the source's own URL to that of the address. By default, all
    ///     addresses count as those of one host.
    package mutating func judge(
        _ text: String,
        port: Int,
        from local: String = "",
        along hosts: [String] = [""]
    ) -> Refusal? {
        precondition(!hosts.isEmpty)
        guard let address = IPAddress(text) else { return .malformed }
        if let refusal = refusal(of: address, port, from: local) { return refusal }
        let scope = address.scope
        let least = hosts.compactMap { scopes[$0] }.reduce(floor, max)
        if scope < least { return .descends(from: least, to: scope) }
        if scopes.count >= Self.hostLimit { (floor, scopes) = (highest, [:]) }
        if let host = hosts.last { scopes[host] = scope }
        return nil
    }

    /// Why the engine never connects to an address, whichever request names it; `nil` if it may.
    private func refusal(of address: IPAddress, _ port: Int, from local: String) -> Refusal? {
        if address.scope == .forbidden { return .forbidden }
        let isOwn = address.scope == .loopback || IPAddress(local).map { $0.plain == address.plain } ?? false
        return isOwn && ownPorts.contains(port) ? .ownServer : nil
    }

    /// Checks a URL whose host is a numeric address, before connecting. For a host name, the address that it resolves
    /// to is checked later.
    package mutating func judge(_ url: ResourceURL, along hosts: [String] = [""]) -> Refusal? {
        guard IPAddress(url.origin.host) != nil else { return nil }
        return judge(url.origin.host, port: url.origin.port, along: hosts)
    }

    /// Checks the current URL of a route, as above.
    package mutating func judge(_ route: RedirectPolicy) -> Refusal? { judge(route.url, along: route.hosts) }

    /// Checks the peer of a connection. The scope of a proxy does not matter, because a client or the settings name it.
    package mutating func judge(_ peer: TransferPeer, along hosts: [String] = [""]) -> Refusal? {
        guard !peer.isProxy else {
            return IPAddress(peer.address).map { refusal(of: $0, peer.port, from: peer.localAddress) } ?? .malformed
        }
        return judge(peer.address, port: peer.port, from: peer.localAddress, along: hosts)
    }
}
