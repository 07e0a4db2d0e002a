// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import enginectl

@Suite("Secrets in command lines")
struct SecretArgumentsTests {
    /// The arguments as the list of processes shows them.
    private func shown(_ arguments: [String]) -> [String] {
        zip(arguments, SecretArguments.secrets(in: arguments.map { Array($0.utf8) })).map { argument, secret in
            var bytes = Array(argument.utf8)
            for index in secret ?? 0..<0 { bytes[index] = UInt8(ascii: "*") }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    @Test(
        "Only the password and the query of a URL are hidden",
        arguments: [
            ("smb://me:PW@nas/a b/me@x.mkv", "smb://me:**@nas/a b/me@x.mkv"),
            ("--proxy=http://:PW@h:1", "--proxy=http://:**@h:1"),
            ("sftp://me:P@W:@nas:abc/a", "sftp://me:****@nas:abc/a"), ("smb://me:P/W@nas/a", "smb://me:***@nas/a"),
            ("smb://nas:445/me@x", "smb://nas:445/me@x"), ("sftp://[::1]:22/me@x", "sftp://[::1]:22/me@x"),
            ("http://h/me:x@y", "http://h/me:x@y"), ("smb://me@nas/a:b", "smb://me@nas/a:b"),
            ("/films/me:x@y", "/films/me:x@y"),
            ("smb://me:@nas/a", "smb://me:@nas/a"), ("", ""), ("https://h/a?sig=1", "https://h/a?*****"),
            ("https://me:PW@h/a?s", "https://me:********"), ("smb://me:P?W@nas/a", "smb://me:***@nas/a"),
            ("https://h/a?", "https://h/a?"), ("/films/why?", "/films/why?"),
        ]
    )
    func urls(argument: String, expected: String) { #expect(shown(["serve", argument]) == ["serve", expected]) }

    @Test("The secrets in the values of options are hidden, but not the names of files")
    func options() {
        let arguments = [
            "load", "--user", "me:PW", "--user=me:PW", "--bearer-token", "T", "--bearer-token=TT", "--header",
            "Cookie: 1",
            "--client-key-passphrase", "@/file", "--user", "@/file", "film.mkv", "--user",
        ]
        let expected = [
            "load", "--user", "me:**", "--user=me:**", "--bearer-token", "*", "--bearer-token=**", "--header",
            "Cookie:**",
            "--client-key-passphrase", "@/file", "--user", "@/file", "film.mkv", "--user",
        ]
        #expect(shown(arguments) == expected)
    }
}
