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
    /// As the renderer tells; on the software path, pictures that came too late to be shown.
    public var droppedFrames: UInt64 = 0
    /// What decoding for bridges and on the software path has taken.
    public var decodeMicroseconds: UInt64 = 0
    /// Of the software path.
    public var decodedFrames: UInt64 = 0
    /// Packets of pictures or sound that the software path could not decode.
    public var decodeErrors: UInt64 = 0
    /// Pictures that front-ends in other processes were given where the decoder had put them.
    public var picturesInPlace: UInt64 = 0
    /// Pictures that had to be copied or converted for them.
    public var picturesCopied: UInt64 = 0
    /// Of the engine's process.
    public var residentBytes: UInt64 = 0

    public init() {}
}
