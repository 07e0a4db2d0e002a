// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@Suite("Servers of sources")
struct NetworkTests {
    @Test(
        "The setting allows all hosts, none, or those listed",
        arguments: [
            ("on", "example.org", true), ("off", "example.org", false), ("example.org", "example.org", true),
            ("Example.ORG", "example.org", true), ("example.org", "www.example.org", false),
            (".example.org", "www.example.org", true), (".example.org", "example.org", false),
            (".example.org", "badexample.org", false), ("a,127.0.0.1", "127.0.0.1", true), ("a,b", "c", false),
            ("::1", "::1", true),
        ]
    )
    func access(setting: String, host: String, isAllowed: Bool) throws {
        let access = try #require(NetworkAccess(setting))
        #expect(access.allows(host) == isAllowed)
    }

    @Test(
        "A setting that is not a list of hosts is rejected",
        arguments: [
            "", "a,", "a b", "http://a/", "a,,b", "on,off", "a,off", "*", "*.example.org", "h:80", "[::1]", "::1]:80",
            ".",
            "..a", ".::1x", "ü",
        ]
    )
    func malformed(setting: String) { #expect(NetworkAccess(setting) == nil) }

    @Test(
        "Only URLs with a scheme of WebDAV name a WebDAV server",
        arguments: [
            ("dav://h/a.mkv", true), ("DAVS://h/a.mkv", true), ("webdav://h/", true), ("webdavs://h/", true),
            ("http://h/dav://a", false), ("https://h/", false), ("dav:/h/a.mkv", false), ("/dav://h/a", false),
            ("sftp://h/a", false), ("smb://h/a", false),
        ]
    )
    func webDAV(url: String, isOne: Bool) { #expect(ServerScheme.isWebDAV(url) == isOne) }

    @Test(
        "Each wait converts to a word and back",
        arguments: [SourceWait.silent, .retrying(status: nil), .retrying(status: 503)]
    )
    func words(wait: SourceWait) {
        #expect(SourceWait(word: wait.word) == wait)
        #expect(SourceWait(word: wait.word + " x") == nil)
    }
}
