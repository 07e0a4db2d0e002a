// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Decides where the requests of a source go: to its URL, or to the target of the redirects from there.
/// Refuses addresses and hosts that the rules and the settings forbid. Pure.
struct RequestRoutes: Sendable {
    /// The request for the whole source at its own URL.
    private var original: TransferRequest
    private let access: NetworkAccess
    private var addresses: AddressPolicy
    /// The target of the redirects so far, to which later requests are sent directly.
    private var pinned: RedirectPolicy?

    init(_ configuration: HTTPSourceConfiguration) {
        (original, access) = (configuration.request, configuration.access)
        addresses = AddressPolicy(ownPorts: configuration.ownPorts, ledBy: configuration.leadingScope)
    }

    /// The source's own URL.
    var url: ResourceURL { original.url }

    /// The request that is sent now, after redirects.
    var currentRequest: TransferRequest { request(along: route) }

    /// The widest scope among the addresses that were connected to.
    var scope: AddressScope { addresses.highest }

    private var route: RedirectPolicy { pinned ?? RedirectPolicy(url) }

    /// From now on requests go to the URL of `request`.
    mutating func refresh(_ request: TransferRequest) {
        original = request
        pinned = nil
    }

    /// From now on requests go to the source's own URL, and follow its redirects again.
    mutating func returnToOriginal() { pinned = nil }

    /// The route of the next request.
    ///
    /// - Parameter redirected: the route of a request that was redirected; `nil` for any other request.
    /// - Throws: `address` or `setting` if it may not be taken.
    mutating func next(after redirected: RedirectPolicy?) throws(SourceFailure) -> RedirectPolicy {
        let route = redirected ?? route
        if let refusal = addresses.judge(route) { throw SourceFailure(.address(refusal), route.url.shown) }
        guard access.allows(route.url.origin.host) else { throw SourceFailure(.setting, route.url.shown) }
        return route
    }

    /// The request for the whole source at the end of a route.
    func request(along route: RedirectPolicy) -> TransferRequest { route.request(original) }

    /// Checks the address to which the host of a request has resolved.
    ///
    /// - Parameter hosts: the hosts that led there, and its own.
    mutating func judge(_ peer: TransferPeer, along hosts: [String]) -> AddressPolicy.Refusal? {
        addresses.judge(peer, along: hosts)
    }

    /// A request has found the resource at the end of its route. A route from the URL that a refresh has replaced is
    /// ignored.
    mutating func arrived(along route: RedirectPolicy) {
        if route.isRedirected, isCurrent(route) { pinned = route }
    }

    /// The route with a redirect added. `nil` if the route began at a URL that a refresh has replaced: the redirect is
    /// not followed.
    ///
    /// - Parameter head: the response with the redirect.
    func following(
        _ head: ResponseHead?,
        from route: RedirectPolicy
    ) throws(RedirectPolicy.Refusal) -> RedirectPolicy? {
        guard isCurrent(route) else { return nil }
        guard let head else { throw .noLocation }
        var route = route
        try route.follow(head)
        return route
    }

    private func isCurrent(_ route: RedirectPolicy) -> Bool { route.first == url }
}
