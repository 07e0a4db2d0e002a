// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Reading
internal import Subtitles
internal import Testing

@testable import Sessions

@Suite("The subtitle files of a session", .timeLimit(.minutes(10)))
struct SidecarListTests {
    private func found(_ path: String) -> SidecarRecord {
        SidecarRecord(sidecar: Sidecar(path: path), foundBeneath: "/films")
    }

    private func named(_ path: String) -> SidecarRecord { SidecarRecord(sidecar: Sidecar(path: path)) }

    @Test("A file that a load names is not added again when it is found, and files beyond the limit are counted")
    func found() {
        var list = SidecarList([named("/films/film.srt")], SourceOpener())
        #expect(list.take(found: [found("/films/film.srt"), found("/films/film.de.srt")]).left == 0)
        #expect(list.records.map(\.sidecar.path) == ["/films/film.srt", "/films/film.de.srt"])
        #expect(list.take(found: (0..<Sidecar.countLimit).map { found("/films/film.\($0).srt") }).left == 2)
        #expect(list.isFull)
    }

    @Test("No load waits for files on servers, and a file that a load names with credentials is not added again")
    func servers() {
        let folder = "sftp://h/films/"
        let files = ["film.srt", "film.de.srt"].map { name in
            SidecarRecord(sidecar: Sidecar(path: folder + name), foundBeneath: folder)
        }
        var list = SidecarList([named("sftp://me:secret@h/films/film.srt")], SourceOpener())
        list.isSearching = true
        let (added, left) = list.take(found: files)
        #expect(added.map(\.record.sidecar.path) == ["sftp://h/films/film.de.srt"] && left == 0)
        #expect(list.startingOrder(awaitsBitmaps: true).first.isEmpty)
        for entry in list.entries { list.giveUp(entry.key) }
        #expect(list.isWaiting, "more files may be found")
        list.isSearching = false
        #expect(!list.isWaiting)
    }

    @Test("A load waits for local files that were named and for a few text files that were found")
    func order() {
        let files = [
            named("/a.sup"), named("http://h/b.srt"), found("/films/c.idx"), found("/films/d.SUP"),
            found("/films/e.sub"),
            named("/f.srt"),
        ]
        var list = SidecarList(files, SourceOpener())
        _ = list.take(found: (0..<10).map { found("/films/\($0).srt") })
        let (first, later) = list.startingOrder(awaitsBitmaps: false)
        #expect(first.map(\.record.sidecar.path) == ["/a.sup", "/f.srt"] + (0..<8).map { "/films/\($0).srt" })
        #expect(
            later.map(\.record.sidecar.path) == [
                "http://h/b.srt", "/films/c.idx", "/films/d.SUP", "/films/e.sub", "/films/8.srt", "/films/9.srt",
            ]
        )
    }

    @Test("A load that draws subtitles into the video also waits for bitmap files that were found")
    func bitmaps() {
        var list = SidecarList([found("/films/c.sup"), found("/films/d.srt")], SourceOpener())
        _ = list.take(found: (0..<10).map { found("/films/\($0).sup") })
        let (first, later) = list.startingOrder(awaitsBitmaps: true)
        #expect(
            first.map(\.record.sidecar.path)
                == ["/films/c.sup", "/films/d.srt"] + (0..<6).map { "/films/\($0).sup" }
        )
        #expect(later.count == 4)
    }
}
