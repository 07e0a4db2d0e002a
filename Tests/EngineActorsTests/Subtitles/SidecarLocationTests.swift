// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Testing

@testable import Subtitles

@Suite("Locations of subtitle files", .timeLimit(.minutes(10)))
struct SidecarLocationTests {
    private func location(_ path: String, beneath folder: String) throws(EngineError) -> SidecarLocation {
        try SidecarLocation(SidecarRecord(sidecar: Sidecar(path: path), foundBeneath: folder))
    }

    @Test("A file that was found on a server is known by its name, without percent escapes")
    func served() throws {
        let url = "smb://h/s/a%20b.de.idx"
        let place = try location(url, beneath: "smb://h/s/")
        #expect(place == .served(name: Array("a b.de.idx".utf8), shown: url))
        #expect(place.isFound && place.name == "a b.de.idx" && place.shown == url)
        #expect(place.pictures == .served(name: Array("a b.de.sub".utf8), shown: "smb://h/s/a%20b.de.sub"))
    }

    @Test(
        "A found file on a server is refused if it is not directly in the source's folder: a journal may name any file",
        arguments: [
            "sftp://h/films/a/b.srt", "sftp://h/films/", "sftp://h/other/b.srt", "sftp://i/films/b.srt", "/films/b.srt",
            "sftp://h/films/..%2Fb.srt", "sftp://h/films/%zz.srt", "https://h/b.srt", "sftp://h/films",
        ]
    )
    func refuses(path: String) {
        #expect(throws: EngineError.self) { try location(path, beneath: "sftp://h/films/") }
    }

    @Test(
        "If the URL of a subtitle file is refused, the message does not show the secrets in the URL",
        arguments: [
            "smb://me:hunter2@nas:99999/a/b", "sftp://me:hunter2@nas:abc/a",
            "SFTP://me:hunter2@[::1/a", "file://me:hunter2@nas/a", "udp://me:hunter2@127.0.0.1:1",
            "me:hunter2@nas/a.srt", "sftp://me:hunter2/@nas/a.srt",
        ]
    )
    func secrets(url: String) {
        let error = #expect(throws: EngineError.self) { try SidecarLocation(url) }
        #expect(error?.code == .invalidArgument && error?.description.contains("hunter2") == false)
    }

    @Test(
        "Clients may name a file on any server, or one of a helper, and its location does not show the secrets in the URL",
        arguments: [
            ("smb://me:hunter2@nas/films/a%20b.de.idx", "smb://nas/films/a%20b.de"),
            ("sftp://me:hunter2@nas:22/films/a.de.idx", "sftp://nas/films/a.de"),
            ("ftpes://me:hunter2@nas/a.de.idx", "ftpes://nas/a.de"),
            ("davs://me:hunter2@nas/a.de.idx", "https://nas/a.de"),
            ("nfs://nas/films/a.de.idx?secret=hunter2", "nfs://nas/films/a.de"),
            ("foo://me:hunter2@nas/a.de.idx", "foo://nas/a.de"),
        ]
    )
    func named(url: String, shown: String) throws {
        let place = try SidecarLocation(url)
        #expect(place.shown == "\(shown).idx" && !place.isFound)
        #expect(place.pictures?.shown == "\(shown).sub")
    }

    @Test("A folder with a scheme must end in a slash; a folder without a scheme is one of this machine")
    func folders() throws {
        #expect(throws: EngineError.self) { try location("sftp://h/films.srt", beneath: "sftp://h/films") }
        let local = try location("/films/a.srt", beneath: "/films")
        #expect(local == .found(Array("a.srt".utf8), beneath: FilePath("/films")))
    }
}
