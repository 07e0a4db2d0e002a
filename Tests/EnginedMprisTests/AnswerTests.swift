// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import engined_mpris

@Suite(.timeLimit(.minutes(10)))
struct AnswerTests {
    private func error(_ call: DBusCall, _ model: PlayerModel = TestSession().model) -> String? {
        do throws(DBusError) {
            _ = try model.answer(call, now: 0)
            return nil
        } catch {
            return error.name.split(separator: ".").last.map(String.init)
        }
    }

    private func set(_ name: String, _ value: DBusValue) -> DBusCall {
        DBusCall("Set", .string(MPRIS.player), .string(name), .variant(value), on: MPRIS.properties)
    }

    @Test(
        "Each method is turned into a command",
        arguments: [
            (DBusCall("Play"), PlayerCommand.play), (DBusCall("Pause"), .pause), (DBusCall("PlayPause"), .play),
            (DBusCall("Next"), .skipChapter(.next)),
            (DBusCall("Previous"), .skipChapter(.previous)),
            (DBusCall("Play", on: nil), .play),
            (DBusCall("Seek", .int64(-5)), .seek(SeekCommand(.relative(MediaTime(microseconds: -5))))),
        ]
    )
    func methods(call: DBusCall, command: PlayerCommand) throws {
        #expect(try TestSession().model.answer(call, now: 0) == .perform([command]))
    }

    @Test(
        "Stop ends a session that is open or opening",
        arguments: [
            (Phase.opening, PlayerAnswer.stop), (.playing, .stop), (.paused, .stop), (.ended, .stop), (.seeking, .stop),
            (.error(EngineError(.internal, "")), .reply([])), (.idle, .reply([])),
        ]
    )
    func stop(phase: Phase, answer: PlayerAnswer) throws {
        #expect(try TestSession(phase).model.answer(DBusCall("Stop"), now: 0) == answer)
    }

    @Test("PlayPause pauses a session that plays")
    func playPause() throws {
        #expect(try TestSession(.playing).model.answer(DBusCall("PlayPause"), now: 0) == .perform([.pause]))
        #expect(error(DBusCall("PlayPause"), PlayerModel()) == "NotSupported")
    }

    @Test("Without a session, methods have no effect", arguments: ["Play", "Pause", "Stop", "Next", "Previous"])
    func impossible(method: String) throws {
        #expect(try PlayerModel().answer(DBusCall(method), now: 0) == .reply([]))
    }

    @Test(
        "SetPosition applies only to the current track, and only within its length",
        arguments: [
            (0, true), (100_000_000, true), (100_000_001, false), (-1, false), (.min, false), (.max, false),
        ] as [(Int64, Bool)]
    )
    func setPosition(position: Int64, isTaken: Bool) throws {
        let session = TestSession()
        let seek = PlayerCommand.seek(SeekCommand(.position(MediaTime(microseconds: position))))
        let own = DBusCall("SetPosition", .objectPath(session.track), .int64(position))
        #expect(try session.model.answer(own, now: 0) == (isTaken ? .perform([seek]) : .reply([])))
        let other = DBusCall("SetPosition", .objectPath(session.track + "0"), .int64(position))
        #expect(try session.model.answer(other, now: 0) == .reply([]))
    }

    @Test(
        "Setting a property is turned into commands",
        arguments: [
            ("Volume", DBusValue.double(0.25), [PlayerCommand.setVolume(0.25)]),
            ("Volume", .double(-3), [.setVolume(0)]),
            ("Volume", .int32(1), [.setVolume(1)]), ("Rate", .double(1.5), [.setRate(1.5)]),
            ("Rate", .double(0), [.pause]),
            ("LoopStatus", .string("Track"), [.setLooping(true)]),
            ("LoopStatus", .string("None"), [.setLooping(false)]),
        ]
    )
    func settings(name: String, value: DBusValue, commands: [PlayerCommand]) throws {
        #expect(try TestSession().model.answer(set(name, value), now: 0) == .perform(commands))
        #expect(error(set(name, value), PlayerModel()) == "NotSupported", "there is no session to set it on")
    }

    @Test("Setting a volume above 0 unmutes")
    func muted() throws {
        var session = TestSession()
        session.state.isMuted = true
        #expect(
            try session.model.answer(set("Volume", .double(1)), now: 0) == .perform([.setVolume(1), .setMuted(false)])
        )
        #expect(try session.model.answer(set("Volume", .double(0)), now: 0) == .perform([.setVolume(0)]))
    }

    @Test(
        "Invalid values, unknown and read-only properties are rejected with the D-Bus error for each",
        arguments: [
            ("Volume", DBusValue.double(.nan), "InvalidArgs"), ("Volume", .string("1"), "InvalidArgs"),
            ("Rate", .double(-1), "InvalidArgs"), ("Rate", .double(.infinity), "InvalidArgs"),
            ("LoopStatus", .string("Playlist"), "NotSupported"), ("LoopStatus", .boolean(true), "InvalidArgs"),
            ("Shuffle", .boolean(true), "NotSupported"), ("Position", .int64(0), "PropertyReadOnly"),
            ("Metadata", .int64(0), "PropertyReadOnly"), ("Colour", .int64(0), "UnknownProperty"),
        ]
    )
    func refused(name: String, value: DBusValue, kind: String) {
        #expect(error(set(name, value)) == kind)
    }

    @Test(
        "Unknown methods, interfaces and properties are rejected with the D-Bus error for each",
        arguments: [
            (DBusCall("Dance"), "UnknownMethod"), (DBusCall("Play", on: "org.example"), "UnknownInterface"),
            (DBusCall("Play", on: MPRIS.root), "UnknownMethod"), (DBusCall("Seek"), "InvalidArgs"),
            (DBusCall("Play", .int64(1)), "InvalidArgs"), (DBusCall("Seek", .double(1)), "InvalidArgs"),
            (DBusCall("Get", .string(MPRIS.player), on: MPRIS.properties), "InvalidArgs"),
            (DBusCall("Get", .string(MPRIS.player), .string("x"), on: MPRIS.properties), "UnknownProperty"),
            (DBusCall("GetAll", .string("org.example"), on: MPRIS.properties), "UnknownInterface"),
            (DBusCall("OpenUri", .string("gopher://x")), "NotSupported"),
            (DBusCall("OpenUri", .string("file")), "NotSupported"),
            (DBusCall("OpenUri", .string("")), "NotSupported"),
        ]
    )
    func absent(call: DBusCall, kind: String) {
        #expect(error(call) == kind)
    }

    @Test("Properties are read one by one or all at once, of one interface or of all")
    func reading() throws {
        let model = TestSession(at: .seconds(7)).model
        let position = DBusCall("Get", .string(MPRIS.player), .string("Position"), on: MPRIS.properties)
        #expect(try model.answer(position, now: 0) == .reply([.variant(.int64(7_000_000))]))
        func all(_ interface: String) throws -> [String: DBusValue] {
            let answer = try model.answer(DBusCall("GetAll", .string(interface), on: MPRIS.properties), now: 0)
            guard case .reply(let values) = answer, case .dictionary(let entries)? = values.first else { return [:] }
            return entries
        }
        #expect(try all(MPRIS.root) == RootProperties.values)
        #expect(try all(MPRIS.player).count == model.properties.values.count + 1)
        #expect(try all("").count == all(MPRIS.root).count + all(MPRIS.player).count)
    }

    @Test("OpenUri opens a file: URL")
    func open() throws {
        #expect(
            try PlayerModel().answer(DBusCall("OpenUri", .string("FILE:///a.mkv")), now: 0) == .open("FILE:///a.mkv")
        )
    }
}
