// SPDX-License-Identifier: Apache-2.0

/// The counters of a decoder since it was created.
package struct DecodingCounters: Hashable, Sendable {
    /// Video or audio frames that were output.
    package var frames: UInt64 = 0
    /// How many of those may be incomplete.
    package var damaged: UInt64 = 0
    /// Packets that could not be decoded, in whole or in part.
    package var errors: UInt64 = 0
    /// How often audio did not continue where the previous samples ended, as at each entry into the source.
    package var gaps: UInt64 = 0

    /// Caption channels carried in the video, named as in INSTREAM-ID.
    package var captionChannels: Set<String> = []
    /// The first audio of each subject that could not be decoded.
    package private(set) var undecodedAudio: [UndecodedAudio.Subject: UndecodedAudio] = [:]

    /// Time spent decoding.
    package var nanoseconds: UInt64 = 0

    package init() {}

    /// Only the first call for a subject has an effect.
    package mutating func note(_ audio: UndecodedAudio) {
        if undecodedAudio[audio.subject] == nil { undecodedAudio[audio.subject] = audio }
    }

    /// The sum of these counters and `other`.
    func adding(_ other: DecodingCounters?) -> DecodingCounters {
        guard let other else { return self }
        var sum = self
        sum.frames += other.frames
        sum.damaged += other.damaged
        sum.errors += other.errors
        sum.gaps += other.gaps
        sum.captionChannels.formUnion(other.captionChannels)
        for audio in other.undecodedAudio.values { sum.note(audio) }
        sum.nanoseconds += other.nanoseconds
        return sum
    }
}
