// SPDX-License-Identifier: Apache-2.0

/// The result of a command.
package struct CommandOutcome: Hashable, Sendable {
    /// Whether an argument was out of range and was clamped.
    package var isClamped = false
    /// The id of the seek that the command requested, as `SeekEvent.id`.
    package var seek: UInt64?
    /// The ids of the subtitle tracks that the command added.
    package var addedSubtitles: [Int] = []
    /// The id of the filter that the command added.
    package var addedFilter: Int?
}
