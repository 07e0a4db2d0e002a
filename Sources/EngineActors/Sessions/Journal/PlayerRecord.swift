// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The part of a session's record that changes with most commands to its player and with the passing of time.
struct PlayerRecord: Hashable, Sendable {
    var position: MediaTime
    var rate: Double
    var volume: Double
    var isMuted: Bool
    var isLooping: Bool
    var isPlaying: Bool
    var rest: SessionRecord.RestingPhase

    /// As four words, for a slot.
    var words: (UInt64, UInt64, UInt64, UInt64) {
        let rests = SessionRecord.RestingPhase.allCases
        let flags =
            (isMuted ? 1 : 0) | (isLooping ? 2 : 0) | (isPlaying ? 4 : 0) | (rests.firstIndex(of: rest) ?? 0) << 3
        return (UInt64(bitPattern: position.microseconds), rate.bitPattern, volume.bitPattern, UInt64(flags))
    }
}

extension PlayerRecord {
    /// `nil` for words that no engine writes.
    init?(words: (UInt64, UInt64, UInt64, UInt64)) {
        let rests = SessionRecord.RestingPhase.allCases
        let place = words.3 >> 3
        guard place < UInt64(rests.count) else { return nil }
        position = MediaTime(microseconds: Int64(bitPattern: words.0))
        (rate, volume) = (Double(bitPattern: words.1), Double(bitPattern: words.2))
        guard JournalJSON.Entry.positions.contains(position.microseconds), PlayerSettings.rates.contains(rate),
            (0...1).contains(volume)
        else { return nil }
        (isMuted, isLooping, isPlaying) = (words.3 & 1 != 0, words.3 & 2 != 0, words.3 & 4 != 0)
        rest = rests[Int(place)]
    }

    init(_ record: SessionRecord) {
        (position, rate, volume) = (record.position, record.rate, record.volume)
        (isMuted, isLooping, isPlaying) = (record.isMuted, record.isLooping, record.isPlaying)
        rest = record.rest
    }
}

extension PlayerCommand {
    /// Whether a `PlayerRecord`, and so the session's slot, holds everything that the command changes.
    var isKeptInSlot: Bool {
        switch self {
        case .play, .pause, .seek, .setRate, .setVolume, .setMuted, .setLooping, .skipChapter: true
        case .setLoopPoints, .setAudioDelay, .setSubtitleDelay: false
        }
    }
}

extension SessionRecord {
    mutating func apply(_ player: PlayerRecord) {
        (position, rate, volume) = (player.position, player.rate, player.volume)
        (isMuted, isLooping, isPlaying) = (player.isMuted, player.isLooping, player.isPlaying)
        rest = player.rest
    }
}
