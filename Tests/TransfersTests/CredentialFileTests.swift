// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import Foundation
import Testing

@testable import Transfers

@Suite("The file of credentials")
struct CredentialFileTests {
    private static let text = """
        # the disks at home
        sftp://me:one@nas.local

        sftp://you:t%20wo@nas.local
        sftp://me:three@nas.local:2222
        davs://me:four@cloud.example/films
        ftp://nobody@other
        smb://HOME;me:fi%26ve@nas.local
        store://me:six@nas.local
        """

    @Test(
        "The line with the same scheme, server, port and user applies",
        arguments: [
            ("sftp://nas.local/film.mkv", "me", "one"), ("sftp://NAS.local:22/a", "me", "one"),
            ("sftp://you@nas.local/a", "you", "t wo"), ("sftp://nas.local:2222/a", "me", "three"),
            ("https://cloud.example/b", "me", "four"), ("ftp://other/a", "nobody", ""),
            ("SMB://nas.local/films/a", "HOME;me", "fi&ve"),
        ]
    )
    func finds(url: String, user: String, password: String) throws {
        let found = try CredentialFile.credentials(for: ResourceURL(ofSource: url), in: Self.text, of: "/c")
        #expect(found == .basic(user: user, password: password))
    }

    @Test(
        "Credentials are given for no other scheme, server or user",
        arguments: [
            "ftp://nas.local/a", "sftp://he@nas.local/a", "http://cloud.example/b", "nfs://nas.local/a",
            "smb://nas.local:1/a",
        ]
    )
    func keeps(url: String) throws {
        #expect(try CredentialFile.credentials(for: ResourceURL(ofSource: url), in: Self.text, of: "/c") == nil)
    }

    @Test("A byte order mark before the first line, and line ends of other systems, are accepted")
    func foreignFiles() throws {
        let text = "\u{FEFF}sftp://me:one@h\r\n# a comment\r\nsftp://you:two@h\r\n"
        let found = try ["h", "you@h"].map { host in
            try CredentialFile.credentials(for: ResourceURL("sftp://\(host)/a"), in: text, of: "/c")
        }
        #expect(found == [.basic(user: "me", password: "one"), .basic(user: "you", password: "two")])
    }

    @Test(
        "A malformed line, such as one with a comment after the URL, is refused without being shown",
        arguments: [
            "\nme secret", "\nsftp://me:secret@h # mine", "\nme:secret", "\nme:secret@nas.local", "\n//me:secret@h",
            "\nsftp:me:secret@h", "\nfile://me:secret@h/a", "\nsmb:///me:secret@h",
        ]
    )
    func refusesLines(text: String) throws {
        let error = #expect(throws: EngineError.self) {
            _ = try CredentialFile.credentials(for: ResourceURL("sftp://h/a"), in: text, of: "/c")
        }
        #expect(error?.message.contains("line 2") == true && error?.message.contains("secret") == false)
    }

    @Test("A file that others can read is refused", arguments: [(0o600, true), (0o640, false), (0o604, false)])
    func refusesFiles(mode: Int, isRead: Bool) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "credentials-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("sftp://me:x@h".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        let url = try ResourceURL("sftp://h/a")
        if isRead {
            #expect(try CredentialFile(path: file.path).credentials(for: url) == .basic(user: "me", password: "x"))
        } else {
            let error = #expect(throws: EngineError.self) {
                _ = try CredentialFile(path: file.path).credentials(for: url)
            }
            #expect(error?.code == .sourceAccessDenied && error?.message.contains("chmod 600") == true)
        }
    }
}
