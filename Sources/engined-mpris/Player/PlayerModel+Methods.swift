// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

// The methods of org.mpris.MediaPlayer2.Player. A method that is not possible at the moment has no effect; `PlayPause`
// also raises an error, as the specification requires.
extension PlayerModel {
    /// Returns `nil` for a method that the interface does not have.
    func control(_ call: DBusCall, _ now: Int64) throws(DBusError) -> PlayerAnswer? {
        switch (call.member, call.first, call.second) {
        case ("Play", nil, nil): return commands(properties.canPlay, play)
        case ("Pause", nil, nil): return commands(properties.canPlay, [.pause])
        case ("PlayPause", nil, nil): return try playPause()
        case ("Stop", nil, nil): return canStop ? .stop : .reply([])
        case ("Next", nil, nil): return commands(properties.canGoNext, [.skipChapter(.next)])
        case ("Previous", nil, nil): return commands(properties.canGoPrevious, [.skipChapter(.previous)])
        case ("Seek", .int64(let offset)?, nil):
            let target = SeekCommand.Target.relative(MediaTime(microseconds: offset))
            return commands(properties.canSeek, [.seek(SeekCommand(target))])
        case ("SetPosition", .objectPath(let track)?, .int64(let position)?): return setPosition(track, position)
        case ("OpenUri", .string(let uri)?, nil): return try open(uri)
        case ("Play", _, _), ("Pause", _, _), ("PlayPause", _, _), ("Stop", _, _), ("Next", _, _), ("Previous", _, _),
            ("Seek", _, _), ("SetPosition", _, _), ("OpenUri", _, _):
            throw DBusError(.invalidArguments, "invalid arguments for \(call.member)")
        default: return nil
        }
    }

    private func commands(_ isPossible: Bool, _ commands: [PlayerCommand]) -> PlayerAnswer {
        isPossible ? .perform(commands) : .reply([])
    }

    /// Also true while a source is being opened: a stop keeps it from starting to play.
    private var canStop: Bool { properties.canPlay || state?.phase.name == .opening }

    /// The commands for Play. A session whose rate is 0 also needs another rate.
    private var play: [PlayerCommand] { state?.position.requestedRate == 0 ? [.setRate(1), .play] : [.play] }

    private func playPause() throws(DBusError) -> PlayerAnswer {
        guard properties.canPlay else { throw DBusError(.notSupported, "nothing is loaded") }
        return .perform(properties.status == .playing ? [.pause] : play)
    }

    /// Ignores a position that is for another track or outside this one.
    private func setPosition(_ track: String, _ position: Int64) -> PlayerAnswer {
        guard let state, properties.canSeek, track == TrackID.path(of: state), position >= 0,
            position <= state.duration?.microseconds ?? .max
        else { return .reply([]) }
        return .perform([.seek(SeekCommand(.position(MediaTime(microseconds: position))))])
    }

    private func open(_ uri: String) throws(DBusError) -> PlayerAnswer {
        let scheme = uri.prefix { $0 != ":" }.lowercased()
        guard uri.contains(":"), RootProperties.schemes.contains(scheme) else {
            throw DBusError(.notSupported, "supported schemes: \(RootProperties.schemes.joined(separator: ", "))")
        }
        return .open(uri)
    }
}
