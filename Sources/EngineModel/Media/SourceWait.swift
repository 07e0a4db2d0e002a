// SPDX-License-Identifier: Apache-2.0

/// The reason why a source on a server delivers nothing at the moment, although its bytes were requested.
public enum SourceWait: Hashable, Sendable {
    /// The connection is open, but nothing arrives.
    case silent
    /// The last request failed and will be repeated. With the HTTP status, if there was a response.
    case retrying(status: Int?)

    /// The word on the wire and in JSON, such as `silent` or `retrying 503`.
    public var word: String {
        switch self {
        case .silent: "silent"
        case .retrying(let status?): "retrying \(status)"
        case .retrying(nil): "retrying"
        }
    }

    /// `nil` for any other word.
    public init?(word: String) {
        let parts = word.split(separator: " ")
        switch (parts.first, parts.count) {
        case ("silent", 1): self = .silent
        case ("retrying", 1): self = .retrying(status: nil)
        case ("retrying", 2):
            guard let status = Int(parts[1]) else { return nil }
            self = .retrying(status: status)
        default: return nil
        }
    }
}

/// Counters of a source on a server, which all sessions that read it share.
public struct SourceTraffic: Hashable, Sendable {
    public var requests: UInt64 = 0
    /// Requests repeated after a failure.
    public var retries: UInt64 = 0
    /// Bytes received from servers.
    public var byteCount: UInt64 = 0
    /// From the last request to the first byte of its response.
    public var roundTripMicroseconds: UInt64 = 0
    /// The estimated bandwidth, in bytes per second: the lower of the two means.
    public var bytesPerSecond: UInt64 = 0
    /// The mean bandwidth with a half-life of 3 s, in bytes per second.
    public var fastBytesPerSecond: UInt64 = 0
    /// The mean bandwidth with a half-life of 9 s, in bytes per second.
    public var slowBytesPerSecond: UInt64 = 0
    /// Reads that did not wait, because their bytes were cached in memory or on disk.
    public var cacheHits: UInt64 = 0
    /// Bytes taken from the cache on disk instead of the server.
    public var diskByteCount: UInt64 = 0
    /// How often the engine connected again to a live stream after its connection was lost or had ended.
    public var rejoins: UInt64 = 0
    /// How often bytes are missing between two connections.
    public var gaps: UInt64 = 0
    /// Bytes that a live stream repeated after a connection was lost; they were dropped.
    public var repeatedByteCount: UInt64 = 0
    /// Transport stream packets whose continuity counter does not continue the previous packet's.
    public var continuityErrors: UInt64 = 0
    /// Transport stream packets that their sender marked as damaged, and positions where no packet was found.
    public var transportErrors: UInt64 = 0

    public init() {}
}
