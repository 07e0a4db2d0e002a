// SPDX-License-Identifier: Apache-2.0

internal import EngineClient
internal import EngineJSON
internal import EngineModel
internal import EngineRuntime
internal import Foundation

/// Shows a session on the whole terminal, with its frames, until it ends or the quit key is pressed.
struct ScreenPlayback: Sendable {
    /// The maximum size of frames. Larger frames cost time, for detail that a terminal hardly shows.
    private static let (pictureWidth, pictureHeight) = (320, 240)
    private static let interval = Duration.milliseconds(80)

    let session: SessionID
    let client: EngineClient

    /// - Parameter play: begins playback.
    func run(play: @Sendable () async throws -> Void) async throws {
        guard let keyboard = Keyboard() else {
            throw Failure(.failed, "the terminal does not take keys from this process")
        }
        defer { keyboard.close() }
        let output = try ScreenOutput(TerminalScreen.Graphics(ProcessInfo.processInfo.environment))
        let keys = keyboard.bytes
        let result: Result<Void, any Error>
        do {
            let frames = try await attachedFrames()
            defer { frames?.close() }
            try await play()
            try await follow(keys, frames, output)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await output.close()
        try result.get()
    }

    /// `nil` if the session has no video.
    private func attachedFrames() async throws -> AttachedFrames? {
        let request = FramesRequest(
            of: session,
            format: .rgba8,
            maximumWidth: Self.pictureWidth,
            maximumHeight: Self.pictureHeight
        )
        do throws(EngineClientError) {
            return try await client.attachFrames(request)
        } catch {
            guard try await client.state(of: session).videoFormat != nil else { return nil }
            throw error
        }
    }

    private func follow(_ keys: AsyncStream<[UInt8]>, _ frames: AttachedFrames?, _ output: ScreenOutput) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask {
                let options = WatchOptions(.session(session), timeInterval: .milliseconds(250))
                for try await event in client.watch(options) {
                    if case .closed(_, let error?) = event { throw Failure(.failed, error.description) }
                    let state = await output.take(event)
                    if let error = state?.phase.error { throw Failure(.failed, error.description) }
                    if state?.phase.name == .ended { return }
                }
            }
            group.addTask {
                try await KeyControl(client: client, session: session).run(
                    keys,
                    help: { await output.toggleHelp() },
                    note: { await output.note($0) }
                )
            }
            group.addTask {
                while true {
                    try await output.draw(frames)
                    try await Task.sleep(for: Self.interval)
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}

/// The screen, and what it shows.
///
/// Owned by the command, and called by the tasks that follow the session, read keys and draw.
private actor ScreenOutput {
    private var model = ScreenModel()
    private var screen: TerminalScreen
    /// The frame that was converted last.
    private var shown: (sequence: UInt64, picture: CellPicture)?

    init(_ graphics: TerminalScreen.Graphics) throws(Failure) { screen = try TerminalScreen(graphics) }

    /// - Returns: the state of the session after the event.
    func take(_ event: WatchEvent) -> SessionState? {
        model.apply(event)
        return model.state
    }

    func toggleHelp() { model.toggleHelp() }
    func note(_ text: String) { model.note(text) }

    func draw(_ frames: AttachedFrames?) throws(Failure) {
        let now = monotonicNanoseconds()
        if let frames, let time = frames.playhead(at: now) ?? model.state?.position.position(at: now),
            let frame = frames.newest(at: time), frame.sequence != shown?.sequence, let picture = CellPicture(frame)
        {
            shown = (frame.sequence, picture)
        }
        let (columns, rows) = (Terminal.width, Terminal.height)
        let layout = model.layout(columns: columns, rows: rows, now: now)
        try screen.draw(layout, shown?.picture, columns: columns, rows: rows)
    }

    func close() { screen.close() }
}
