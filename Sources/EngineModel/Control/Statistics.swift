// SPDX-License-Identifier: Apache-2.0

/// Counters of a session since it was loaded.
public struct Statistics: Hashable, Sendable {
    public var bytesRead: UInt64 = 0
    public var segmentsMade: UInt64 = 0
    /// Over HTTP.
    public var segmentsServed: UInt64 = 0
    public var segmentsEvicted: UInt64 = 0
    /// Segment requests that were answered from the cache.
    public var cacheHits: UInt64 = 0
    /// Seconds of media produced per second of production time.
    public var productionSpeed = 0.0
    /// How often playback waited for media.
    public var stalls: UInt64 = 0
    public var stallMicroseconds: UInt64 = 0
    /// As reported by the renderer; on the software path, frames that were too late to be shown.
    public var droppedFrames: UInt64 = 0
    /// Time spent decoding and encoding for bridges, and decoding on the software path.
    public var decodeMicroseconds: UInt64 = 0
    /// Software path only.
    public var decodedFrames: UInt64 = 0
    /// Packets of video or audio that the software path could not decode.
    public var decodeErrors: UInt64 = 0
    /// Frames handed to other processes in the memory that the decoder wrote them to, without a copy.
    public var picturesInPlace: UInt64 = 0
    /// Frames that had to be copied or converted for other processes.
    public var picturesCopied: UInt64 = 0
    /// The fetching of a source on a server.
    public var traffic = SourceTraffic()
    /// Resident memory of the engine's process.
    public var residentBytes: UInt64 = 0

    public init() {}
}
