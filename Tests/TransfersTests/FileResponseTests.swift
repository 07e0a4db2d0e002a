// SPDX-License-Identifier: Apache-2.0

import Bindings
import Testing

@testable import Transfers

@Suite("Answers of file servers")
struct FileResponseTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var asked = RequestedRange.bytes(100..<200)
        var byteCount: Int64? = 1000
        var modified: Int64? = 7
        var known = ResourceState(byteCount: 1000, modified: "7")
        let response: RangeResponse
        var testDescription: String { "\(byteCount.map { "\($0)" } ?? "no length") to \(asked)" }
    }

    private static let state = ResourceState(byteCount: 1000, modified: "7")

    @Test(
        "A version is known by its length and its time",
        arguments: [
            Row(response: .part(100..<200, state)),
            Row(asked: .bytes(900..<2000), response: .part(900..<1000, state)),
            Row(asked: .bytes(0..<64), known: ResourceState(), response: .part(0..<64, state)),
            Row(asked: .bytes(1000..<1064), response: .pastEnd(state)),
            Row(asked: .whole, known: ResourceState(), response: .whole(state)),
            Row(byteCount: 999, response: .changed(ResourceState(byteCount: 999, modified: "7"))),
            Row(modified: 8, response: .changed(ResourceState(byteCount: 1000, modified: "8"))),
            // SFTP states the length only once, and some servers state no time.
            Row(byteCount: nil, response: .part(100..<200, ResourceState(modified: "7"))),
            Row(modified: nil, response: .part(100..<200, ResourceState(byteCount: 1000))),
            // Without a length, a file can only be read from its start.
            Row(
                asked: .bytes(0..<64),
                byteCount: nil,
                known: ResourceState(),
                response: .whole(ResourceState(modified: "7"))
            ),
            Row(byteCount: nil, known: ResourceState(), response: .notRanged(ResourceState(modified: "7"))),
            Row(
                asked: .bytes(0..<64),
                byteCount: 0,
                known: ResourceState(),
                response: .pastEnd(
                    ResourceState(byteCount: 0, modified: "7")
                )
            ),
        ]
    )
    func answers(row: Row) {
        let answer = FileAnswer(byteCount: row.byteCount, modified: row.modified)
        #expect(RangeResponse(.file(answer), to: row.asked, known: row.known) == row.response)
    }

    @Test(
        "Base64 as OpenSSH writes fingerprints",
        arguments: [
            ([], ""), ([0x66], "Zg"), ([0x66, 0x6F], "Zm8"), (Array("foobar".utf8), "Zm9vYmFy"),
            ([0xFF, 0xFE, 0xFD], "//79"),
        ]
    )
    func writesFingerprints(bytes: [UInt8], text: String) { #expect(Base64.text(of: bytes) == text) }

    @Test("A login, a key and a missing file are final; a lost connection is not")
    func classifiesFaults() {
        let key = HostKeyFault(isChanged: true, type: "ssh-ed25519", fingerprint: "SHA256:x", knownHosts: "/k")
        #expect(SourceFailure.Kind(.hostKey(key)) == .hostKey(key))
        #expect(SourceFailure.Kind(.login) == .login && SourceFailure.Kind(.missing) == .missing)
        #expect(SourceFailure.Kind(.interrupted) == nil && SourceFailure.Kind(.security) == nil)
    }
}
