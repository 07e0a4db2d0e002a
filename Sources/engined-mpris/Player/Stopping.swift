// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Whether a client of the bus has stopped what is loaded. To the engine that is a pause at the beginning; to the bus it is
/// `Stopped` until it plays again, whoever asks for that.
enum Stopping: Hashable, Sendable {
    /// Nobody has, or it has played since.
    case none
    /// The commands that lead there are on their way, and the session may still be heard to play.
    case asked
    case reached

    static let commands: [Command] = [.pause, .seek(SeekCommand(.begin, thenPlay: false))]

    /// What holds once the session is in `phase`.
    func next(in phase: Phase.Name?) -> Stopping {
        switch (self, phase) {
        case (_, nil): .none
        case (.reached, .play), (.reached, .playing), (.reached, .buffering): .none
        default: self
        }
    }
}
