// SPDX-License-Identifier: Apache-2.0

/// What a session has cost and done since it was loaded.
package struct Statistics: Hashable, Sendable {
    package var bytesRead: UInt64 = 0
    package var segmentsMade: UInt64 = 0
    /// Over HTTP.
    package var segmentsServed: UInt64 = 0
    package var segmentsEvicted: UInt64 = 0
    /// Segments that were there when they were asked for.
    package var cacheHits: UInt64 = 0
    /// Seconds of media made per second of making.
    package var productionSpeed = 0.0
    /// How often playback waited for media.
    package var stalls: UInt64 = 0
    package var stallMicroseconds: UInt64 = 0
    /// As the renderer tells.
    package var droppedFrames: UInt64 = 0
    package var decodeMicroseconds: UInt64 = 0
    /// Of the engine's process.
    package var residentBytes: UInt64 = 0

    package init() {}
}
