// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@Suite("Commands for a renderer that does not read", .timeLimit(.minutes(10)))
struct RendererInboxTests {
    private func left(after actions: [RendererCommand.Action]) -> [RendererCommand.Action] {
        var inbox = RendererInbox()
        for (number, action) in actions.enumerated() {
            inbox.add(RendererCommand(number: UInt64(number + 1), action: action))
        }
        var left: [RendererCommand.Action] = []
        while let command = inbox.next() { left.append(command.action) }
        return left
    }

    @Test("the latest command of each kind is kept, in order of arrival")
    func latest() {
        #expect(
            left(after: [.play, .volume(1), .seek(id: 1, position: .zero), .pause, .seek(id: 2, position: .seconds(4))])
                == [.volume(1), .pause, .seek(id: 2, position: .seconds(4))]
        )
    }

    @Test("a load discards an earlier seek, a stop discards everything")
    func moot() {
        let load = RendererCommand.Action.load(url: "u", position: .zero)
        #expect(left(after: [.seek(id: 1, position: .zero), .rate(2), load, .play]) == [.rate(2), load, .play])
        #expect(left(after: [load, .play, .volume(0), .stop]) == [.stop])
    }
}
