// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Whether a bus client has stopped the loaded source. For the engine this is a pause at the start. For the bus it is
/// `Stopped` until playback starts again, whichever client starts it.
enum Stopping: Hashable, Sendable {
    /// The source was not stopped, or has played since.
    case none
    /// The commands of a stop are in progress. The session may still report that it plays.
    case asked
    case reached

    static let commands: [PlayerCommand] = [.pause, .seek(SeekCommand(.begin, thenPlay: false))]

    /// The value once the session is in `phase`.
    func next(in phase: Phase.Name?) -> Stopping {
        switch (self, phase) {
        case (_, nil): .none
        case (.reached, .play), (.reached, .playing), (.reached, .buffering): .none
        default: self
        }
    }
}
