// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import Testing

@testable import Transfers

@Suite("Redirect policy")
struct RedirectPolicyTests {
    private func redirect(_ location: String) -> ResponseHead {
        ResponseHead(status: 302, fields: [ResponseHead.Field("Location", location)])
    }

    @Test(
        "A chain of redirects is followed or refused",
        arguments: [
            ("http://h/a", ["b", "/c"], "http://h/c", true, nil),
            ("http://h/a", ["https://h/a"], "https://h/a", false, nil),
            ("https://h/a", ["https://h:443/b"], "https://h/b", true, nil),
            ("https://h/a", ["https://other/b"], "https://other/b", false, nil),
            ("https://h/a", ["https://other/b", "https://h/c"], "https://h/c", false, nil),
            ("https://h/a", ["https://other/b", "c"], "https://other/c", false, nil),
            ("https://h/a?secret", ["http://h/a?x"], "", false, .insecure("http://h/a")),
            ("https://h/a", ["file:///etc/passwd"], "", false, .scheme("file")),
            ("http://h/a", ["b", "a"], "", false, .loop("http://h/a")),
            ("http://h/a", ["http://"], "", false, .noLocation),
            ("http://h/0", (1...8).map { "\($0)" }, "http://h/8", true, nil),
            ("http://h/0", (1...9).map { "\($0)" }, "", false, .tooMany),
        ] as [(String, [String], String, Bool, RedirectPolicy.Refusal?)]
    )
    func follows(
        from: String,
        locations: [String],
        to: String,
        isTrusted: Bool,
        refusal: RedirectPolicy.Refusal?
    ) throws {
        var policy = RedirectPolicy(try ResourceURL(from))
        do throws(RedirectPolicy.Refusal) {
            for location in locations { try policy.follow(redirect(location)) }
            #expect(refusal == nil && policy.url.text == to && policy.isTrusted == isTrusted && policy.isRedirected)
        } catch {
            #expect(error == refusal)
        }
    }

    @Test(
        "A URL is visited again only after a cookie was set to a new value, and eight redirects are the limit",
        arguments: [
            (["s=1"], nil), (["s=1; Path=/", "s=1; Path=/a"], .loop("http://h/a")), (["s=1", "s=2", "t=2"], nil),
            ([nil], .loop("http://h/a")), ((1...8).map { "s=\($0)" }, nil), ((1...9).map { "s=\($0)" }, .tooMany),
        ] as [([String?], RedirectPolicy.Refusal?)]
    )
    func followsCookies(cookies: [String?], refusal: RedirectPolicy.Refusal?) throws {
        var policy = RedirectPolicy(try ResourceURL("http://h/a"))
        do throws(RedirectPolicy.Refusal) {
            for cookie in cookies {
                let set = cookie.map { [ResponseHead.Field("Set-Cookie", $0)] } ?? []
                try policy.follow(ResponseHead(status: 302, fields: [ResponseHead.Field("Location", "a")] + set))
            }
            #expect(refusal == nil)
        } catch {
            #expect(error == refusal)
        }
    }

    @Test("A redirect with no target or with two targets is refused")
    func needsLocation() throws {
        var policy = RedirectPolicy(try ResourceURL("http://h/"))
        let two = ["a", "b"].map { ResponseHead.Field("Location", $0) }
        for fields in [[], two] {
            #expect(throws: RedirectPolicy.Refusal.noLocation) {
                try policy.follow(ResponseHead(status: 302, fields: fields))
            }
        }
    }

    @Test("Another origin receives the range and harmless fields, but no credentials or other fields")
    func keepsSecrets() throws {
        var original = TransferRequest(try ResourceURL("https://u:p@h/a"), byteLimit: 1)
        original.range = .from(7)
        original.validator = "\"t\""
        original.headers = [
            try HTTPHeader(name: "X-Token", value: "s"), try HTTPHeader(name: "Cookie", value: "c"),
            try HTTPHeader(name: "Accept-Language", value: "de"),
        ]
        var policy = RedirectPolicy(original.url)
        try policy.follow(redirect("/b"))
        let near = policy.request(original)
        #expect(near.credentials == .basic(user: "u", password: "p") && near.headers.count == 3)
        try policy.follow(redirect("https://x:y@other/c"))
        let far = policy.request(original)
        #expect(far.url.text == "https://other/c")
        #expect(far.credentials == nil && far.url.credentials == nil)
        #expect(far.headers.map(\.name) == ["Accept-Language"])
        #expect(far.range == .from(7) && far.validator == "\"t\"")
    }
}

@Suite("Address policy")
struct AddressPolicyTests {
    @Test(
        "A proxy may have any address except those to which the engine never connects",
        arguments: [
            ("10.1.2.3", 80, nil), ("127.0.0.1", 81, nil), ("127.0.0.1", 80, .ownServer),
            ("169.254.169.254", 80, .forbidden),
            ("x", 80, .malformed),
        ] as [(String, Int, AddressPolicy.Refusal?)]
    )
    func proxies(address: String, port: Int, refusal: AddressPolicy.Refusal?) {
        var policy = AddressPolicy(ownPorts: [80], ledBy: .public)
        #expect(policy.judge(TransferPeer(address, port: port, isProxy: true)) == refusal)
        #expect(policy.highest == .public)
    }

    @Test(
        "Each address has its scope",
        arguments: [
            ("8.8.8.8", .public), ("127.0.0.1", .loopback), ("127.255.0.9", .loopback), ("10.1.2.3", .private),
            ("172.15.0.1", .public), ("172.16.0.1", .private), ("172.31.255.255", .private), ("172.32.0.1", .public),
            ("192.168.0.1", .private), ("100.64.0.1", .private), ("100.128.0.1", .public), ("169.254.1.1", .linkLocal),
            ("169.254.169.254", .forbidden), ("0.0.0.0", .forbidden), ("224.0.0.1", .forbidden),
            ("255.255.255.255", .forbidden), ("::1", .loopback), ("::", .forbidden), ("fe80::1%eth0", .linkLocal),
            ("febf::1", .linkLocal), ("fec0::1", .private), ("fd12::1", .private), ("fc00::1", .private),
            ("ff02::1", .forbidden), ("2001:4860:4860::8888", .public), ("::ffff:127.0.0.1", .loopback),
            ("::ffff:a9fe:a9fe", .forbidden), ("::127.0.0.1", .loopback), ("::0.1.0.1", .forbidden),
            ("64:ff9b::10.0.0.1", .private),
            ("64:ff9b::8.8.8.8", .public), ("2002:7f00:1::", .loopback), ("2001:0:1:2:3:4:80ff:fffe", .loopback),
            ("fd00:ec2::254", .forbidden),
        ] as [(String, AddressScope)]
    )
    func classifies(text: String, scope: AddressScope) throws { #expect(try #require(IPAddress(text)).scope == scope) }

    @Test(
        "Other notations are not parsed as addresses",
        arguments: [
            "", "1.2.3", "1.2.3.256", "1.2.3.4.5", "0x7f.1.1.1", "1::2::3", "12345::", ":::", "1:2:3:4:5:6:7", "::+1",
            "host",
        ]
    )
    func refuses(text: String) { #expect(IPAddress(text) == nil) }

    @Test(
        "A source never connects to an address of narrower scope than an earlier one",
        arguments: [
            (["8.8.8.8", "1.1.1.1"], nil), (["192.168.0.1", "10.0.0.1"], nil),
            (["127.0.0.1", "10.0.0.1", "8.8.8.8"], nil),
            (["8.8.8.8", "10.0.0.1"], .descends(from: .public, to: .private)),
            (["2001:db9::1", "::ffff:127.0.0.1"], .descends(from: .public, to: .loopback)),
            (["10.0.0.1", "127.0.0.1"], .descends(from: .private, to: .loopback)),
            (["127.0.0.1", "8.8.8.8", "127.0.0.1"], .descends(from: .public, to: .loopback)),
            (["169.254.169.254"], .forbidden), (["name"], .malformed),
        ] as [([String], AddressPolicy.Refusal?)]
    )
    func judges(addresses: [String], refusal: AddressPolicy.Refusal?) {
        var policy = AddressPolicy(ownPorts: [])
        let refusals = addresses.compactMap { policy.judge($0, port: 80) }
        #expect(refusals.first == refusal)
    }

    @Test(
        "A host may be narrower in scope than its redirect targets, but not than hosts before it, nor than it was",
        arguments: [
            ([(["a"], "10.0.0.1"), (["a", "b"], "8.8.8.8"), (["a"], "10.0.0.1")], nil),
            ([(["a"], "10.0.0.1"), (["a", "b"], "8.8.8.8"), (["c"], "127.0.0.1")], nil),
            (
                [(["a"], "10.0.0.1"), (["a", "b"], "8.8.8.8"), (["a", "b", "a"], "10.0.0.1")],
                .descends(from: .public, to: .private)
            ),
            ([(["a"], "8.8.8.8"), (["a", "b"], "10.0.0.1")], .descends(from: .public, to: .private)),
            ([(["a"], "8.8.8.8"), (["a"], "10.0.0.1")], .descends(from: .public, to: .private)),
            (
                [(["a", "b"], "8.8.8.8"), (["a"], "10.0.0.1"), (["a", "b"], "10.0.0.2")],
                .descends(from: .public, to: .private)
            ),
        ] as [([([String], String)], AddressPolicy.Refusal?)]
    )
    func followsChains(steps: [([String], String)], refusal: AddressPolicy.Refusal?) {
        var policy = AddressPolicy(ownPorts: [])
        let refusals = steps.map { policy.judge($0.1, port: 80, along: $0.0) }
        #expect(refusals == Array(repeating: nil, count: steps.count - 1) + [refusal])
    }

    @Test("When too many hosts are known, all count as one")
    func boundsHosts() {
        var policy = AddressPolicy(ownPorts: [])
        let refusals = (0...256).compactMap { policy.judge("8.8.8.8", port: 80, along: ["\($0)"]) }
        #expect(
            refusals == []
                && policy.judge("10.0.0.1", port: 80, along: ["new"]) == .descends(from: .public, to: .private)
        )
    }

    @Test("The engine's own server is refused in every notation of its address")
    func avoidsItself() throws {
        var policy = AddressPolicy(ownPorts: [8080])
        let own = ["127.0.0.1", "::1", "::ffff:127.0.0.1"].map { policy.judge($0, port: 8080) }
        #expect(own == [.ownServer, .ownServer, .ownServer])
        let urls = try ["http://0x7f000001:8080/", "http://name:8080/", "http://127.0.0.1/"].map {
            policy.judge(try ResourceURL($0))
        }
        #expect(urls == [.ownServer, nil, nil])
    }

    @Test(
        "The engine's own server is refused at every address of this machine",
        arguments: [
            ("192.168.0.7", 8080, "192.168.0.7", .ownServer), ("192.168.0.7", 8081, "192.168.0.7", nil),
            ("192.168.0.8", 8080, "192.168.0.7", nil), ("192.168.0.7", 8080, "", nil),
            ("8.8.8.8", 8080, "8.8.8.8", .ownServer), ("::ffff:192.168.0.7", 8080, "192.168.0.7", .ownServer),
            ("2001:db8::1", 8080, "2001:db8::1", .ownServer), ("fe80::1%eth0", 8080, "fe80::1", .ownServer),
            ("127.0.0.2", 8080, "127.0.0.1", .ownServer),
        ] as [(String, Int, String, AddressPolicy.Refusal?)]
    )
    func avoidsItselfOnNetworks(address: String, port: Int, local: String, refusal: AddressPolicy.Refusal?) {
        var policy = AddressPolicy(ownPorts: [8080])
        let found = policy.judge(address, port: port, from: local)
        #expect(found == refusal)
    }
}
