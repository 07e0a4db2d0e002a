// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import engined_mpris

@Suite(.timeLimit(.minutes(10)))
struct TrackMetadataTests {
    @Test("Tags are mapped to xesam names and types")
    func tags() {
        var state = TestSession().state
        state.coverArtURL = "http://127.0.0.1:1/t/cover"
        state.metadata = [
            Tag("TITLE", "A session"), Tag("artist", "B"), Tag("album", "C"), Tag("album_artist", "D"),
            Tag("track", "3/12"),
            Tag("disc", "one"), Tag("date", "1927-01-10"), Tag("genre", ""), Tag("encoder", "Lavf"),
        ]
        #expect(
            TrackMetadata.values(of: state) == [
                "mpris:trackid": .objectPath(TrackID.path(of: state)), "mpris:length": .int64(100_000_000),
                "mpris:artUrl": .string("http://127.0.0.1:1/t/cover"), "xesam:url": .string("file:///films/a%20b.mkv"),
                "xesam:title": .string("A session"), "xesam:artist": .strings(["B"]), "xesam:album": .string("C"),
                "xesam:albumArtist": .strings(["D"]), "xesam:trackNumber": .int32(3),
                "xesam:contentCreated": .string("1927-01-10"),
            ]
        )
    }

    @Test("A live source has the title of what is broadcast in the program that is played, and of what comes next")
    func broadcast() {
        var state = TestSession().state
        state.metadata = [Tag("title", "A channel"), Tag("comment", "A comment")]
        var present = ProgramEvent(id: 1)
        present.title = "News"
        present.text = "Headlines"
        present.details = "What happened."
        // A leap day.
        present.start = 1_709_251_199_000_000
        var following = ProgramEvent(id: 2)
        following.title = "Weather"
        state.guide = [
            ProgramGuide(program: 3, present: following),
            ProgramGuide(program: 7, present: present, following: following),
        ]
        // It is not known which program is played.
        #expect(TrackMetadata.values(of: state)["xesam:title"] == .string("A channel"))
        state.media?.program = 7
        var values = TrackMetadata.values(of: state)
        #expect(values["xesam:title"] == .string("News"))
        #expect(values["xesam:comment"] == .strings(["Headlines", "What happened."]))
        #expect(values["engined:start"] == .string("2024-02-29T23:59:59Z"))
        #expect(values["engined:nextTitle"] == .string("Weather") && values["engined:nextStart"] == nil)
        #expect(values["mpris:trackid"] == .objectPath(TrackID.path(of: state)))
        // If an event has no texts, those of the tags stay.
        state.guide = [ProgramGuide(program: 7, present: ProgramEvent(id: 4))]
        values = TrackMetadata.values(of: state)
        #expect(values["xesam:title"] == .string("A channel") && values["xesam:comment"] == .strings(["A comment"]))
        #expect(values["engined:start"] == nil && values["engined:nextTitle"] == nil)
    }

    @Test(
        "The title of a session without one is its file name",
        arguments: [
            ("/films/a b.mkv", "a b.mkv", "file:///films/a%20b.mkv"), ("/100%.mkv", "100%.mkv", "file:///100%25.mkv"),
            ("file:///films/a%20b.mkv", "a b.mkv", "file:///films/a%20b.mkv"),
            ("/é#?.mkv", "é#?.mkv", "file:///%C3%A9%23%3F.mkv"),
        ]
    )
    func fileName(source: String, title: String, url: String) {
        var state = TestSession().state
        state.source = source
        let values = TrackMetadata.values(of: state)
        #expect(values["xesam:title"] == .string(title))
        #expect(values["xesam:url"] == .string(url))
    }

    @Test("A track id is an object path that identifies one source in one session")
    func trackID() {
        let session = TestSession()
        #expect(session.track.hasPrefix("/engined/session_s_2d1/source_"))
        #expect(
            session.track.split(separator: "/").joined().allSatisfy {
                $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")
            }
        )
        #expect(TestSession(.playing, at: .seconds(3)).track == session.track)
        var other = session
        other.state.source = "/films/c.mkv"
        #expect(other.track != session.track)
        other = session
        other.state.id = SessionID(rawValue: "s_1")
        #expect(other.track != session.track)
    }
}
