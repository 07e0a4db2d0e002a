// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import enginectl

@Suite("Names of sources")
struct FileArgumentTests {
    @Test(
        "URLs are passed on as they are, those of unknown schemes too",
        arguments: [
            "http://host/a.mkv", "HTTPS://host/a.mkv", "file:///a%E9.mkv", "ftp://host/a.mkv", "smb://nas/share/a.mkv",
        ]
    )
    func urls(_ argument: String) { #expect(FileArgument.source(argument) == argument) }

    @Test(
        "Anything else is a file, whose path is absolute",
        arguments: ["a.mkv", "./-a.mkv", "a:b.mkv", "://a", "12:34/a.mkv", "ä://a.mkv"]
    )
    func files(_ argument: String) {
        let source = FileArgument.source(argument)
        #expect(source.hasPrefix("/") && source.hasSuffix(argument.hasPrefix("./") ? "-a.mkv" : argument))
    }
}
