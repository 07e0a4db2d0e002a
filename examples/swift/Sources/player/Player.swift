// SPDX-License-Identifier: Apache-2.0

import EngineClient
import Foundation

/// Loads a file, prints its HLS URL for any player, prints events, and carries out commands from stdin, until playback
/// or the session ends.
///
///     swift run --package-path examples/swift player FILE
///
/// The engine must be running; its socket is $ENGINED_SOCKET or $XDG_RUNTIME_DIR/engined/engined.sock.
@main
struct Program {
    static func main() async {
        guard CommandLine.arguments.count == 2 else { fail("usage: player FILE") }
        let file = URL(fileURLWithPath: CommandLine.arguments[1]).path
        do {
            let client = try await EngineClient.connect(socket: ProcessInfo.processInfo.environment["ENGINED_SOCKET"])
            var request = LoadRequest(source: file)
            request.options.isAutoplay = true
            let loaded = try await client.load(request)
            say(loaded.url)
            let player = Player(client, loaded.id)
            // This task ends with the process: when playback ends, nothing waits for the end of stdin.
            Task { for await line in commandLines() { await player.perform(line) } }
            try await player.follow()
        } catch {
            fail("\(error)")
        }
    }
}

/// One session, across reconnections.
actor Player {
    private var client: EngineClient
    private let session: SessionID

    init(_ client: EngineClient, _ session: SessionID) {
        self.client = client
        self.session = session
    }

    /// Returns when playback ends or a client stops the session.
    func follow() async throws(EngineClientError) {
        for try await event in client.follow(WatchOptions(.session(session), timeInterval: .seconds(1))) {
            switch event {
            case .connected(let client):
                self.client = client
                say("connected")
            case .disconnected(let failure): say("disconnected: \(failure.message)")
            case .event(.snapshot(let state)):
                if isOver(state) { return }
            case .event(.delta(let delta)):
                if delta.fields.contains(.phase), isOver(delta.state) { return }
            case .event(.time(let time)): say("at \(time.position.seconds)")
            case .event(.notice(_, let notice)): say("notice \(notice.code): \(notice.message)")
            case .event(.closed(_, let error)): say("closed" + (error.map { ": \($0)" } ?? ""))
            case .event(.seek), .event(.cue), .event(.gap), .event(.batch): break
            }
        }
    }

    private func isOver(_ state: SessionState) -> Bool {
        say("\(state.phase.name.rawValue)")
        return state.phase == .ended
    }

    func perform(_ line: String) async {
        let words = line.split(separator: " ")
        do {
            switch (words.first, words.dropFirst().first.flatMap(Double.init).flatMap { $0.isNaN ? nil : $0 }) {
            case ("play", _): try await answer(client.play(session))
            case ("pause", _): try await answer(client.pause(session))
            case ("stop", _): try await answer(client.stop(session))
            case ("seek", let seconds?): try await answer(client.seek(session, .position(.seconds(seconds))))
            case ("rate", let rate?): try await answer(client.setRate(session, rate))
            case ("volume", let volume?): try await answer(client.setVolume(session, volume))
            default: say("commands: play, pause, stop, seek SECONDS, rate NUMBER, volume NUMBER")
            }
        } catch {
            say("refused: \(error)")
        }
    }

    private func answer(_ result: CommandResult) {
        let position = result.state.position
        say("\(result.state.phase.name.rawValue) at \(position.now.seconds), rate \(position.requestedRate)")
    }
}

/// The lines of stdin, read on a thread that may block.
func commandLines() -> AsyncStream<String> {
    AsyncStream { continuation in
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
    }
}

func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("player: \(message)\n".utf8))
    exit(1)
}
