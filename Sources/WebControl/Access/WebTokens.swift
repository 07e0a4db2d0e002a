// SPDX-License-Identifier: Apache-2.0

/// The tokens for control over HTTP, and the tickets that a page exchanges for a token. Pure: callers pass in the time.
///
/// A ticket is part of a URL, and URLs end up in histories and logs. A ticket can therefore be used only once, within
/// ten minutes. A token is never part of a URL.
struct WebTokens: Hashable, Sendable {
    struct Grant: Hashable, Sendable {
        let token: String
        /// `nil` once it was exchanged, and for tokens of an earlier process.
        var ticket: String?
        let ticketExpiry: Int64
        let expiry: Int64
    }

    static let limit = 256
    private static let ticketLifetime: Int64 = 10 * 60 * 1_000_000

    private(set) var grants: [Grant] = []

    /// - Parameter grants: tokens that an earlier process made.
    init(_ grants: [Grant] = []) { self.grants = grants }

    /// Whether any token is valid. Times are microseconds since 1970.
    mutating func isOpen(at now: Int64) -> Bool {
        removeExpired(now)
        return !grants.isEmpty
    }

    /// - Returns: `nil` if there are too many tokens.
    mutating func add(token: String, ticket: String, lifetime: Int64, at now: Int64) -> Grant? {
        removeExpired(now)
        guard grants.count < Self.limit else { return nil }
        let ticketExpiry = now + min(lifetime, Self.ticketLifetime)
        let grant = Grant(token: token, ticket: ticket, ticketExpiry: ticketExpiry, expiry: now + lifetime)
        grants.append(grant)
        return grant
    }

    /// When the token expires; `nil` if it is not valid. Takes the same time for every invalid token of the right
    /// length.
    func expiry(of token: String, at now: Int64) -> Int64? {
        var found: Int64?
        for grant in grants where Self.areEqual(grant.token, token) && grant.expiry > now { found = grant.expiry }
        return found
    }

    /// Returns the grant for a ticket, and invalidates the ticket. `nil` if the ticket is unknown, used or expired.
    mutating func exchange(ticket: String, at now: Int64) -> Grant? {
        var found: Int?
        for (index, grant) in grants.enumerated() {
            if let own = grant.ticket, Self.areEqual(own, ticket), grant.ticketExpiry > now { found = index }
        }
        guard let found else { return nil }
        grants[found].ticket = nil
        return grants[found]
    }

    /// - Returns: the number of valid tokens that were revoked.
    mutating func revokeAll(at now: Int64) -> Int {
        removeExpired(now)
        defer { grants = [] }
        return grants.count
    }

    private mutating func removeExpired(_ now: Int64) { grants.removeAll { $0.expiry <= now } }

    private static func areEqual(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        guard one.count == other.count, !one.isEmpty else { return false }
        return zip(one, other).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
