// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@Suite("URLs in messages")
struct ShownURLTests {
    @Test(
        "A text that looks like a URL is shown without user name, password, query and fragment",
        arguments: [
            ("smb://me:PW@nas/films/a.srt", "smb://nas/films/a.srt"), ("foo://me:PW@nas", "foo://nas"),
            ("smb://nas/a?password=PW", "smb://nas/a"), ("smb://nas/a#PW", "smb://nas/a"),
            ("smb://nas/films/me@b.srt", "smb://nas/films/me@b.srt"), ("smb://me:PW@/a", "smb:///a"),
            ("smb://me:PW@nas:99999/a", "smb://nas:99999/a"), ("sftp://me:PW@nas:abc/a", "sftp://nas:abc/a"),
            ("SFTP://me:PW@[::1/a", "SFTP://[::1/a"), ("sftp://me:PW@[::1]:22/me@a", "sftp://[::1]:22/me@a"),
            ("smb://me:PW@b@nas/a", "smb://nas/a"), (" smb://me:PW@nas/a", " smb://nas/a"),
            ("file://me:PW@nas/a", "file://nas/a"), ("udp://me:PW@127.0.0.1:1", "udp://127.0.0.1:1"),
        ]
    )
    func urls(text: String, shown: String) { #expect(ShownURL.text(of: text) == shown) }

    @Test(
        "A malformed URL is shown without user name, password, query and fragment too",
        arguments: [
            ("http:/me:PW@nas/a", "http:nas/a"), ("SFTP:me:PW@nas/a", "SFTP:nas/a"), ("me:PW@nas/a", "me:nas/a"),
            ("smb:\\\\me:PW@nas\\a", "smb:nas\\a"), ("pipe:me:PW@nas", "pipe:nas"),
            ("smb://me:P/W@nas/a", "smb://nas/a"),
            ("smb://me:P?W@nas/a", "smb://nas/a"), ("smb://me:P#W@nas/a", "smb://nas/a"),
            ("smb://me:PW@\u{301}nas/a", "smb://\u{301}nas/a"), ("smb:\u{301}//me:PW@nas/a", "smb:nas/a"),
        ]
    )
    func malformed(text: String, shown: String) { #expect(ShownURL.text(of: text) == shown) }

    @Test(
        "Absolute paths, URLs of local files and pipes, and texts without secrets are unchanged",
        arguments: [
            "/a@b?c#d", "/http://me:PW@nas/a", "file:///a@b?c", "file:/a@b", "pipe:/a@b?c", "pipe:", "udp://@:5000",
            "film.mkv",
            "",
        ]
    )
    func others(text: String) { #expect(ShownURL.text(of: text) == text) }
}
