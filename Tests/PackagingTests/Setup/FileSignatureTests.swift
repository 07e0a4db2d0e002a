// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Packaging

@Suite("Names of files that are not media")
struct FileSignatureTests {
    @Test(
        "Archives, documents and programs are named",
        arguments: [
            (Array("PK\u{3}\u{4}....".utf8), "a ZIP archive"),
            ([0x1F, 0x8B, 0x08, 0x00], "a file compressed by gzip"),
            (Array("%PDF-1.7\n".utf8), "a PDF document"),
            ([0x7F, 0x45, 0x4C, 0x46, 0x02], "a program"),
            (Array("name".utf8) + [UInt8](repeating: 0, count: 253) + Array("ustar\0".utf8), "a tar archive"),
        ] as [([UInt8], String)]
    )
    func named(start: [UInt8], name: String) { #expect(FileSignature.name(of: start) == name) }

    @Test("Other bytes have no name", arguments: [[], [0x00, 0x01], [0x61, 0x00], [0x1F]] as [[UInt8]])
    func unnamed(start: [UInt8]) { #expect(FileSignature.name(of: start) == nil && !FileSignature.isText(start)) }

    @Test(
        "Texts are recognised in any charset that extends ASCII, by their first bytes",
        arguments: [
            Array("Grüße\r\n\tan alle\n".utf8), Array("caf".utf8) + [0xE9, 0x0A],
            Array("text".utf8) + [UInt8](repeating: 0x20, count: 600) + [0x00],
        ] as [[UInt8]]
    )
    func text(start: [UInt8]) { #expect(FileSignature.isText(start) && FileSignature.name(of: start) == nil) }
}
