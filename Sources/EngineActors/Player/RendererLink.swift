// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// What a session keeps of the sound, for whoever makes it.
struct PlayerControls: Hashable, Sendable {
    /// 0 … 1.
    var volume = 1.0
    var isMuted = false
}

/// The renderer that is attached to a session.
struct RendererLink: Sendable {
    /// How long one that should play may say nothing.
    static let patience: Int64 = 5_000_000_000

    let number: UInt64
    let name: String
    private let sink: any RendererSink
    private var lastCommand: UInt64 = 0
    /// The last command that decides where it plays, whether, and how fast.
    private var lastTransport: UInt64 = 0
    /// When it was last heard of, or spoken to.
    private(set) var heardAt: Int64

    init(number: UInt64, name: String, sink: any RendererSink, at now: Int64) {
        self.number = number
        self.name = name
        self.sink = sink
        heardAt = now
    }

    mutating func send(_ action: RendererCommand.Action, at now: Int64) {
        lastCommand += 1
        switch action {
        case .load, .play, .pause, .seek, .rate: lastTransport = lastCommand
        case .volume, .muted, .stop: break
        }
        heardAt = now
        sink.receive(RendererCommand(number: lastCommand, action: action))
    }

    /// - Returns: whether the report tells of a time after all that was asked for.
    mutating func hear(_ report: RendererReport, at now: Int64) -> Bool {
        heardAt = now
        return report.lastCommand.map { $0 >= lastTransport } ?? true
    }

    /// It has no place any more: because of an error, or because the session is over.
    func leave(_ error: EngineError?) {
        if error == nil { sink.receive(RendererCommand(number: lastCommand + 1, action: .stop)) }
        sink.end(error)
    }
}
