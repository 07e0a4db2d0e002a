// SPDX-License-Identifier: Apache-2.0

/// What a session has cost and done since it was loaded.
public struct Statistics: Hashable, Sendable {
    public var bytesRead: UInt64 = 0
    public var segmentsMade: UInt64 = 0
    /// Over HTTP.
    public var segmentsServed: UInt64 = 0
    public var segmentsEvicted: UInt64 = 0
    /// Segments that were there when they were asked for.
    public var cacheHits: UInt64 = 0
    /// Seconds of media made per second of making.
    public var productionSpeed = 0.0
    /// How often playback waited for media.
    public var stalls: UInt64 = 0
    public var stallMicroseconds: UInt64 = 0
    /// As the renderer tells.
    public var droppedFrames: UInt64 = 0
    public var decodeMicroseconds: UInt64 = 0
    /// Of the engine's process.
    public var residentBytes: UInt64 = 0

    public init() {}
}
