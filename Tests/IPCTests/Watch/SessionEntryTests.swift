// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Server
@testable import Wire

@Suite("Responses from cached encodings", .timeLimit(.minutes(10)))
struct SessionEntryTests {
    private func message(_ framed: [UInt8]) -> [UInt8] { Array(framed.dropFirst(5)) }

    @Test("after changes to some of its groups, the encoding still decodes to the whole state")
    func state() throws {
        var state = Samples.state
        state.revision = 1 << 40
        let entry = SessionEntry(state)
        #expect(try SessionState(wire: message(entry.stateResponse())) == state)
        let changes: [(inout SessionState) -> Void] = [
            { $0.phase = .paused }, { $0.volume = 0.25 }, { $0.media?.streams.removeLast() }, { $0.source = "/other" },
            { $0.metadata = [] }, { $0.buffered = [] },
        ]
        for change in changes {
            let before = state
            change(&state)
            state.revision += 1
            entry.replace(state, changed: state.changes(since: before))
            #expect(try SessionState(wire: message(entry.stateResponse())) == state)
            #expect(try WatchEvent.decoded(message(entry.snapshot(.all))) == .snapshot(state))
        }
    }

    @Test("an encoded time is reused for two milliseconds")
    func time() throws {
        var state = Samples.state
        state.duration = nil
        state.position = PositionAnchor(position: .zero, rate: 1, monotonicNanoseconds: 0, requestedRate: 1)
        let entry = SessionEntry(state)
        let positions = try [0, 2_000_000, 2_000_001].map { (now: Int64) -> Int64? in
            guard case .time(let event)? = try WatchEvent.decoded(message(entry.timeEvent(now: now))) else {
                return nil
            }
            return event.position.microseconds
        }
        #expect(positions == [0, 0, 2000])
    }

    @Test("the response to a command carries the state that the command left, even if a newer state exists")
    func command() throws {
        var state = Samples.state
        state.revision = 1 << 40
        let entry = SessionEntry(state)
        for (isClamped, seek) in [(false, nil), (true, UInt64(300))] {
            let result = CommandResult(state: state, isClamped: isClamped, seekID: seek)
            let read = try CommandResult(wire: message(entry.response(to: result)))
            #expect(read.state == state && read.isClamped == isClamped && read.seekID == seek)
        }
        var later = state
        later.revision += 1
        later.volume = 0.125
        entry.replace(later, changed: .settings)
        let read = try CommandResult(wire: message(entry.response(to: CommandResult(state: state))))
        #expect(read.state == state)
    }
}
