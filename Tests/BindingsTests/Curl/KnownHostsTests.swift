// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Bindings

@Suite("Known hosts")
struct KnownHostsTests {
    private static let key = "AAAAC3NzaC1lZDI1NTE5AAAAIEDT/qxWzGTUfItaF6/fWVjnt4THV5Qb/yKev4ZkVKnz"
    /// `nas.local`, hashed by `ssh-keygen -H`.
    private static let hashed = "|1|UzCE6OcaNprJ9Qmd4f4zLeahC1U=|3ukLF35wuN84ImZkcPuaWSyXVS0="

    struct Row: CustomTestStringConvertible, Sendable {
        let names: String
        var host = "nas.local"
        var port = 22
        let isKnown: Bool
        var testDescription: String { "\(host):\(port) among \(names)" }
    }

    @Test(
        "A line applies to the names that it lists",
        arguments: [
            Row(names: "nas.local", isKnown: true), Row(names: "NAS.local", isKnown: true),
            Row(names: "a,nas.local,b", isKnown: true), Row(names: "*.local", isKnown: true),
            Row(names: "nas.loca?", isKnown: true), Row(names: "*a*.*l*", isKnown: true),
            Row(names: "nas", isKnown: false), Row(names: "nas.local2", isKnown: false),
            Row(names: "*.local,!nas.local", isKnown: false), Row(names: "!*.org,*.local", isKnown: true),
            Row(names: "nas.local", port: 2222, isKnown: false),
            Row(names: "[nas.local]:2222", port: 2222, isKnown: true),
            Row(names: "[nas.local]:22", isKnown: false),
            Row(names: "[::1]:2222", host: "::1", port: 2222, isKnown: true),
            Row(names: hashed, isKnown: true), Row(names: hashed, host: "nas.locaI", isKnown: false),
            Row(names: "|1|x", isKnown: false), Row(names: "|1|?|?", isKnown: false),
        ]
    )
    func matchesNames(row: Row) {
        let known = KnownHosts("\(row.names) ssh-ed25519 \(Self.key) comment", host: row.host, port: row.port)
        let name = row.port == 22 ? row.host : "[\(row.host)]:\(row.port)"
        #expect(known.lines == (row.isKnown ? "\(name) ssh-ed25519 \(Self.key)\n" : ""))
    }

    @Test("The preferred type comes first, and what libssh2 does not understand is left out")
    func sortsTypes() {
        let text = """
            # a comment
            other ssh-rsa AAA
            h ssh-rsa BBB
            h sk-ssh-ed25519@openssh.com CCC
            @cert-authority h ssh-ed25519 DDD
            h ecdsa-sha2-nistp256 EEE
            h
            h ssh-ed25519
            h ssh-ed25519 FFF
            h ssh-ed25519 GGG me@home
            @revoked * ssh-ed25519 FFF
            """
        #expect(
            KnownHosts(text, host: "h", port: 22).lines
                == "h ssh-ed25519 GGG\nh ecdsa-sha2-nistp256 EEE\nh ssh-rsa BBB\n"
        )
    }

    @Test(
        "Base64 is read with and without padding",
        arguments: [("", []), ("Zg==", [0x66]), ("Zm8", [0x66, 0x6F]), ("//79", [0xFF, 0xFE, 0xFD])]
    )
    func readsBase64(text: String, bytes: [UInt8]) { #expect(Base64.bytes(of: text) == bytes) }

    @Test("Other letters are not base64") func refusesLetters() { #expect(Base64.bytes(of: "Zm-8") == nil) }
}
