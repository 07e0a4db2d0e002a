// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The controls of a session that do not concern its playhead.
struct PlayerControls: Hashable, Sendable {
    /// 0 … 1.
    var volume = 1.0
    var isMuted = false
    /// The delays of the loaded source.
    var delays = Delays()
}

/// The renderer that is attached to a session.
struct RendererLink: Sendable {
    /// How long a renderer that owes a report may stay silent, in nanoseconds.
    static let patience: Int64 = 5_000_000_000

    /// The engine's own renderers have numbers above this one, renderers outside the engine numbers below it.
    static let lastOutsideNumber: UInt64 = 1 << 63

    let number: UInt64
    let name: String
    private let receiver: any CommandReceiver
    private var lastCommand: UInt64 = 0
    /// The number of the last transport command: one that affects the position, the rate, or whether the renderer
    /// plays.
    private var lastTransport: UInt64 = 0
    /// When the last report arrived or the last command was sent.
    private(set) var heardAt: Int64
    /// Whether the renderer has been sent a `load`. Until then, it gets no other command.
    private var isLoaded = false

    init(number: UInt64, name: String, receiver: any CommandReceiver, at now: Int64) {
        self.number = number
        self.name = name
        self.receiver = receiver
        heardAt = now
    }

    /// Whether this is a renderer of the engine.
    var isOwn: Bool { number > Self.lastOutsideNumber }

    /// Sends a command. Does nothing before `load`: the session sends its whole state after that.
    mutating func send(_ action: RendererCommand.Action, at now: Int64) {
        if case .load = action { isLoaded = true }
        guard isLoaded else { return }
        lastCommand += 1
        switch action {
        case .load, .play, .pause, .seek, .rate: lastTransport = lastCommand
        case .volume, .muted, .stop: break
        }
        heardAt = now
        receiver.receive(RendererCommand(number: lastCommand, action: action))
    }

    /// - Returns: whether the report was made after the last transport command was carried out. `true` if the report
    ///   does not name its last command.
    mutating func take(_ report: RendererReport, at now: Int64) -> Bool {
        heardAt = now
        return report.lastCommand.map { $0 >= lastTransport } ?? true
    }

    /// The session's source is gone, and the next one is not open yet.
    mutating func unload() { isLoaded = false }

    /// Ends the renderer's attachment because of `error`, or, if `error` is `nil`, because the session has ended.
    func leave(_ error: EngineError?) {
        if error == nil { receiver.receive(RendererCommand(number: lastCommand + 1, action: .stop)) }
        receiver.end(error)
    }
}
