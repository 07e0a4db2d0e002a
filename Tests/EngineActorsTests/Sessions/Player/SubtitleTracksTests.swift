// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Sessions

@Suite("The subtitle tracks of a session", .timeLimit(.minutes(10)))
struct SubtitleTracksTests {
    private func file(_ id: Int) -> SubtitleTrack {
        SubtitleTrack(id: id, codec: CodecID(rawValue: "subrip"), isText: true, origin: .sidecar("/a.srt"))
    }

    private func opened(_ wanted: SubtitleSelection = .automatic) -> SubtitleTracks {
        var tracks = SubtitleTracks(wanted)
        #expect(tracks.open(MediaDescription()) == nil)
        return tracks
    }

    @Test("a selection before the source is open is kept, and reported when it cannot be met")
    func early() {
        var tracks = SubtitleTracks(.automatic)
        #expect(tracks.select(.tracks([7]), of: nil) == nil)
        #expect(tracks.recorded(isWaiting: false) == .tracks([7]))
        #expect(tracks.open(MediaDescription())?.code == "subtitles.selection_unavailable")
        #expect(tracks.selected.isEmpty)
    }

    @Test("files that ask to be shown are shown, unless a client or an earlier process has decided otherwise")
    func files() {
        var tracks = opened()
        tracks.add([file(100_001)])
        tracks.add([file(100_000), file(100_001)])
        #expect(tracks.all.map(\.id) == [100_000, 100_001], "known ids are skipped")
        _ = tracks.selectAtStart(nil)
        #expect(tracks.selected.isEmpty)
        _ = tracks.selectAtStart([100_001])
        #expect(tracks.selected == [100_001])
        _ = tracks.select(.none, of: nil)
        _ = tracks.selectAtStart([100_001])
        #expect(tracks.selected.isEmpty)
    }

    @Test("a track that was removed is neither listed nor selected")
    func removal() {
        var tracks = opened(.tracks([100_000]))
        tracks.add([file(100_000), file(100_001)])
        _ = tracks.selectAtStart(nil)
        #expect(tracks.shown.map(\.id) == [100_000])
        let wasShown = (tracks.remove(100_001..<100_002), tracks.remove(100_000..<100_001))
        #expect(wasShown == (false, true))
        #expect(tracks.all.isEmpty && tracks.selected.isEmpty)
    }

    @Test("the record keeps the requested selection while files are still being read")
    func record() {
        var tracks = opened(.languages(["de"]))
        #expect(tracks.recorded(isWaiting: true) == .languages(["de"]))
        #expect(tracks.recorded(isWaiting: false) == .none)
        _ = tracks.select(.none, of: nil)
        #expect(tracks.recorded(isWaiting: true) == .none)
    }
}
