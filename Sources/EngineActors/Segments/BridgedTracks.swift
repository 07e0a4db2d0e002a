// SPDX-License-Identifier: Apache-2.0

internal import Reading

/// The tracks of a segment that were decoded and encoded again, by position in `OpenedSource.tracks`.
struct BridgedTracks: Sendable {
    var audio: [Int: BridgedAudio] = [:]
    var video: [Int: BridgedVideo] = [:]
    /// How long decoding and encoding audio took, without waiting for a bridge.
    var nanoseconds: Int64 = 0
    /// The same for video.
    var videoNanoseconds: Int64 = 0
}
