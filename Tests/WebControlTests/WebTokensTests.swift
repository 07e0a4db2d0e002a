// SPDX-License-Identifier: Apache-2.0

internal import Testing

@testable import WebControl

@Suite("Tokens for control over HTTP")
struct WebTokensTests {
    private static let minute: Int64 = 60_000_000

    @Test("are valid until they expire")
    func expiry() throws {
        var tokens = WebTokens()
        let isOpenAtFirst = tokens.isOpen(at: 0)
        #expect(!isOpenAtFirst)
        let added = tokens.add(token: "t", ticket: "k", lifetime: 30 * Self.minute, at: 0)
        let grant = try #require(added)
        #expect(grant.expiry == 30 * Self.minute)
        #expect(tokens.expiry(of: "t", at: grant.expiry - 1) == grant.expiry)
        #expect(tokens.expiry(of: "t", at: grant.expiry) == nil)
        #expect(tokens.expiry(of: "", at: 0) == nil && tokens.expiry(of: "tt", at: 0) == nil)
        let isOpen = (tokens.isOpen(at: grant.expiry - 1), tokens.isOpen(at: grant.expiry))
        #expect(isOpen == (true, false))
    }

    @Test("are given for a ticket once, within ten minutes, and the ticket itself is no token")
    func tickets() {
        var tokens = WebTokens()
        _ = tokens.add(token: "t", ticket: "k", lifetime: 30 * Self.minute, at: 0)
        #expect(tokens.expiry(of: "k", at: 0) == nil)
        let exchanges: [(ticket: String, time: Int64, token: String?)] = [
            ("x", 0, nil), ("k", 10 * Self.minute, nil), ("k", Self.minute, "t"), ("k", Self.minute, nil),
        ]
        for (ticket, time, token) in exchanges {
            let grant = tokens.exchange(ticket: ticket, at: time)
            #expect(grant?.token == token)
        }
        #expect(tokens.expiry(of: "t", at: Self.minute) != nil)
    }

    @Test("are revoked together, and counted")
    func revocation() {
        var tokens = WebTokens()
        _ = tokens.add(token: "a", ticket: "1", lifetime: Self.minute, at: 0)
        _ = tokens.add(token: "b", ticket: "2", lifetime: 5 * Self.minute, at: 0)
        let count = tokens.revokeAll(at: 2 * Self.minute)
        #expect(count == 1)
        #expect(tokens.expiry(of: "b", at: 2 * Self.minute) == nil)
        let grant = tokens.exchange(ticket: "2", at: 2 * Self.minute)
        #expect(grant == nil)
    }

    @Test("are limited in number")
    func limit() {
        var tokens = WebTokens()
        for index in 0..<WebTokens.limit {
            let grant = tokens.add(token: "t\(index)", ticket: "k\(index)", lifetime: Self.minute, at: 0)
            #expect(grant != nil)
        }
        let refused = tokens.add(token: "t", ticket: "k", lifetime: Self.minute, at: 0)
        #expect(refused == nil)
        let later = tokens.add(token: "t", ticket: "k", lifetime: Self.minute, at: Self.minute)
        #expect(later != nil)
    }
}
