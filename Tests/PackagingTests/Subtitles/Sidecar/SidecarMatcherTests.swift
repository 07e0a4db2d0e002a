// SPDX-License-Identifier: Apache-2.0

internal import Testing

@testable import Packaging

/// Names as people and programs write them: Plex, Jellyfin, Kodi, VLC, release groups, mkvextract.
@Suite("Subtitle files beside a film", .timeLimit(.minutes(10)))
struct SidecarMatcherTests {
    private static func found(_ source: String, among entries: [String]) -> [String] {
        var matcher = SidecarMatcher(source: Array(source.utf8))
        for entry in entries { matcher.add(Array(entry.utf8)) }
        return matcher.sidecars.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "A file whose name is the film's, followed by words about subtitles, belongs to the film",
        arguments: [
            "Film (2020).srt", "Film (2020).en.srt", "Film (2020).eng.forced.srt", "Film (2020).de.forced.ass",
            "Film (2020).pt-BR.srt", "Film (2020).pt_BR.sdh.vtt", "Film (2020).zh-Hans.srt", "Film (2020).es-419.srt",
            "Film (2020).en.cc.srt", "Film (2020).en.hi.srt", "Film (2020).default.en.srt", "Film (2020).English.srt",
            "Film (2020).English (SDH).srt", "Film (2020) - English [Forced].srt", "Film (2020)-en.srt",
            "Film (2020)_eng.srt", "Film (2020) en.srt", "Film (2020).en.2.srt", "Film (2020)_track3_[eng].srt",
            "Film (2020).Spanish.Latin.American.srt", "Film (2020).chs&eng.ass", "Film (2020).简体中文.srt",
            "Film (2020).Français.srt", "Film (2020).en.Signs & Songs.ass", "film (2020).EN.SRT", "FILM (2020).srt",
            "Film (2020).sup", "Film (2020).idx", "Film (2020).sub", "Film (2020).commentary.srt",
            "Film (2020).en-orig.vtt", "Film (2020).en.auto.srt", "Film (2020).yue.srt", "Film (2020).pb.srt",
        ]
    )
    func ownNames(_ name: String) {
        #expect(Self.found("Film (2020).mkv", among: ["Film (2020).mkv", name]) == [name])
    }

    @Test(
        "A file with another name does not belong to the film",
        arguments: [
            "filmen.srt", "film2.srt", "film 2.srt", "film.2.srt", "film.2.en.srt", "film - Director's Cut.srt",
            "films.srt",
            "fil.srt",
            "film.Resurrection.en.srt", "film.S01E01.srt", "other.srt", "film.txt", "film.srt.bak", "film.en.srt~",
            ".srt", "srt", "film", "film.mkv", "film.nfo", "film.jpg", "film.cd2.srt", "film.1.srt", "film.x264.srt",
            "notfilm.srt", "film\u{301}.srt", "film/film.srt", "Extras/film.srt", "Subs/film2.srt", "Subs/other.en.srt",
            "Subs/film2/English.srt", "a/b/c/film.srt", "",
        ]
    )
    func otherNames(_ name: String) {
        var matcher = SidecarMatcher(source: Array("film.mkv".utf8))
        // The search lists only subtitle folders.
        if !name.contains("/") || name.hasPrefix("Subs/") { matcher.add(Array(name.utf8)) }
        #expect(matcher.sidecars.isEmpty)
    }

    @Test("In a folder of episodes, each episode has its own files, even if its name is the start of another name")
    func episodes() {
        let entries = [
            "Show.S01E01.mkv", "Show.S01E01.en.srt", "Show.S01E01.srt", "Show.S01E10.mkv", "Show.S01E10.en.srt",
            "Show.S01E1.mkv", "Show.S01E1.srt", "Show.mkv", "Show.en.srt", "Subs/Show.S01E01.de.srt",
            "Subs/English.srt",
            "Subs/Show.S01E01/2_English.srt", "Subs/Show.S01E01/3_anything.srt",
        ]
        let own = ["Show.S01E01.srt", "Show.S01E01.en.srt", "Subs/Show.S01E01.de.srt"]
        let folder = ["Subs/Show.S01E01/2_English.srt", "Subs/Show.S01E01/3_anything.srt"]
        #expect(Self.found("Show.S01E01.mkv", among: entries) == own + folder)
        #expect(Self.found("Show.S01E10.mkv", among: entries) == ["Show.S01E10.en.srt"])
        #expect(Self.found("Show.S01E1.mkv", among: entries) == ["Show.S01E1.srt"])
        #expect(Self.found("Show.mkv", among: entries) == ["Show.en.srt"])
        #expect(SidecarMatcher(source: Array("Show.S01E01.mkv".utf8)).isOwnFolder(Array("show.s01e01".utf8)))
        #expect(!SidecarMatcher(source: Array("Show.S01E01.mkv".utf8)).isOwnFolder(Array("Show.S01E01.en".utf8)))
    }

    @Test("The film with the longest name that fits owns a file")
    func longest() {
        let entries = ["film.mkv", "film.en.mkv", "film.en.srt", "film.srt", "film.en.forced.srt", "film.de.srt"]
        #expect(Self.found("film.mkv", among: entries) == ["film.srt", "film.de.srt"])
        #expect(Self.found("film.en.mkv", among: entries) == ["film.en.srt", "film.en.forced.srt"])
    }

    @Test("Films whose names differ only in case or extension find the files that fit")
    func twins() {
        let cases = ["Film.mkv", "film.mkv", "Film.srt", "film.en.srt", "FILM.de.srt"]
        #expect(Self.found("film.mkv", among: cases) == ["FILM.de.srt", "film.en.srt"])
        #expect(Self.found("Film.mkv", among: cases) == ["FILM.de.srt", "Film.srt"])
        let kinds = ["film.mkv", "film.mp4", "film.srt"]
        #expect(Self.found("film.mkv", among: kinds) == ["film.srt"])
        #expect(Self.found("film.mp4", among: kinds) == ["film.srt"])
    }

    @Test(
        "In a subtitle folder, a language alone is enough for a name if there is only one film",
        arguments: [
            ("2_English.srt", true), ("English.srt", true), ("eng.srt", true), ("forced.srt", true),
            ("3_Spanish (Latin).srt", true),
            ("film.en.srt", true), ("2_.srt", false), ("2.srt", false), ("readme.srt", false), ("other.en.srt", false),
        ]
    )
    func folder(_ name: String, isFound: Bool) {
        let alone = ["film.mkv", "sample.mkv", "film-trailer.mp4", "Subs/\(name)"]
        #expect(Self.found("film.mkv", among: alone) == (isFound ? ["Subs/\(name)"] : []))
        let isNamed = name.hasPrefix("film")
        #expect(Self.found("film.mkv", among: alone + ["other.mkv"]) == (isFound && isNamed ? ["Subs/\(name)"] : []))
    }

    @Test(
        "Subtitle folders are recognised by name",
        arguments: [
            ("Subs", true), ("subs", true), ("SUBTITLES", true), ("VobSubs", true), ("Extras", false), ("film", false),
            ("", false), ("subsubsubsubs", false),
        ]
    )
    func folders(_ name: String, isFolder: Bool) {
        #expect(SidecarMatcher.isSubtitleFolder(Array(name.utf8)) == isFolder)
    }

    @Test("Composed and decomposed letters are the same; bytes that are not UTF-8 must be identical")
    func normalisation() {
        #expect(Self.found("Am\u{E9}lie.mkv", among: ["Ame\u{301}lie.fr.srt"]).count == 1)
        #expect(Self.found("\u{30AC}.mkv", among: ["\u{30AB}\u{3099}.ja.srt"]).count == 1)
        var matcher = SidecarMatcher(source: Array("Am".utf8) + [0xE9] + Array("lie.mkv".utf8))
        let own = Array("Am".utf8) + [0xE9] + Array("lie.fr.srt".utf8)
        matcher.add(own)
        matcher.add(Array("Am".utf8) + [0xE8] + Array("lie.fr.srt".utf8))
        matcher.add(Array("Am\u{FFFD}lie.fr.srt".utf8))
        matcher.add(Array("Am\u{E9}lie.fr.srt".utf8))
        #expect(matcher.sidecars == [own])
    }

    @Test("The images of a VobSub index are not listed as a file of their own")
    func vobSub() {
        #expect(Self.found("film.mkv", among: ["film.sub", "film.idx", "film.en.sub"]) == ["film.idx", "film.en.sub"])
        #expect(Self.found("film.mkv", among: ["Subs/film.idx", "film.sub"]) == ["film.sub", "Subs/film.idx"])
    }

    @Test("The order does not depend on that of the file system")
    func order() {
        let entries = ["Subs/film.en.srt", "film.fr.srt", "film.srt", "film.de.srt", "film.de.ass"]
        let expected = ["film.srt", "film.de.ass", "film.de.srt", "film.fr.srt", "Subs/film.en.srt"]
        #expect(Self.found("film.mkv", among: entries) == expected)
        #expect(Self.found("film.mkv", among: entries.reversed()) == expected)
    }

    @Test("A film's name may have no extension, or contain periods")
    func stems() {
        #expect(Self.found("Say.It.mkv", among: ["Say.It.srt", "Say.srt", "Say.en.srt"]) == ["Say.It.srt"])
        #expect(Self.found("film", among: ["film.srt", "film.en.srt"]) == ["film.srt", "film.en.srt"])
        #expect(Self.found("Show.S01E01", among: ["Show.S01E01.srt", "Show.en.srt"]) == ["Show.S01E01.srt"])
    }
}
