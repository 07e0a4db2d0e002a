// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Bindings

@Suite("Proxies of the environment")
struct ProxyEnvironmentTests {
    private func proxy(for url: String, _ variables: [String: String]) throws -> String? {
        let proxy = ProxyEnvironment { variables[$0] }.proxy(for: try ResourceURL(url))
        return proxy == .none ? nil : proxy.text
    }

    @Test(
        "The variable of a scheme takes precedence over that of all schemes, and lower case over upper case",
        arguments: [
            ("http://h/", [:], nil),
            ("http://h/", ["http_proxy": "a", "all_proxy": "b"], "a"),
            ("http://h/", ["HTTP_PROXY": "a"], nil),
            ("http://h/", ["HTTP_PROXY": "a", "ALL_PROXY": "b"], "b"),
            ("http://h/", ["http_proxy": "", "all_proxy": "b"], "b"),
            ("dav://h/", ["http_proxy": "a"], "a"),
            ("https://h/", ["http_proxy": "a"], nil),
            ("https://h/", ["HTTPS_PROXY": "a"], "a"),
            ("https://h/", ["https_proxy": "b", "HTTPS_PROXY": "a"], "b"),
            ("https://h/", ["all_proxy": "b", "ALL_PROXY": "c"], "b"),
            ("ftpes://h/", ["ftp_proxy": "a"], "a"),
            ("sftp://h/", ["SFTP_PROXY": "a"], "a"),
        ] as [(String, [String: String], String?)]
    )
    func chooses(url: String, variables: [String: String], proxy: String?) throws {
        #expect(try self.proxy(for: url, variables) == proxy)
    }

    @Test(
        "A host that no_proxy lists is reached without a proxy",
        arguments: [
            ("http://h/", "*", true), ("http://h/", "other, h", true), ("http://h/", "other h", true),
            ("http://h/", "*,x", false), ("http://h.example/", "example", true),
            ("http://h.example/", ".example", true),
            ("http://H.example./", "EXAMPLE.", true), ("http://nonexample/", "example", false),
            ("http://example/", "h.example", false), ("http://example/", ".", false), ("http://h/", ",,", false),
            ("http://10.1.2.3/", "10.1.2.3", true), ("http://0x0a010203/", "10.1.2.3", true),
            ("http://10.1.2.3/", "10.0.0.0/8", true), ("http://10.1.2.3/", "10.1.2.0/31", false),
            ("http://10.1.2.3/", "10.1.2.0/30", true), ("http://10.1.2.3/", "10.1.2.3/33", false),
            ("http://10.1.2.3/", "2.3", false), ("http://10.1.2.3/", "10.1.2.3/0", true),
            ("http://[2001:db8::1]/", "2001:db8::/32", true), ("http://[2001:db8::1]/", "2001:db8::1", true),
            ("http://[2001:db8::1]/", "2001:db9::/33", false), ("http://[2001:db8::1]/", "10.0.0.0/8", false),
        ]
    )
    func excludes(url: String, list: String, isDirect: Bool) throws {
        for name in ["no_proxy", "NO_PROXY"] {
            let found = try proxy(for: url, ["http_proxy": "p", name: list])
            #expect((found == nil) == isDirect, "\(name)")
        }
    }

    @Test("Only the setting `environment` uses the variables")
    func resolves() throws {
        let (url, environment) = (try ResourceURL("http://h/"), ProxyEnvironment { _ in "p" })
        let found = [HTTPProxy.none, .url("http://q"), .environment].map { $0.resolved(for: url, in: environment) }
        #expect(found == [.none, .url("http://q"), .url("p")])
        #expect(HTTPProxy.environment.resolved(for: url, in: ProxyEnvironment { _ in nil }) == .none)
    }
}
