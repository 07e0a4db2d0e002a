// SPDX-License-Identifier: Apache-2.0

/// How a session's media reach the client that shows them.
public enum PlaybackPath: String, Hashable, Sendable, CaseIterable {
    /// Packets are remuxed: a player fetches them as HLS and decodes them.
    case remux
    /// The engine decodes, keeps the clock, and hands over frames and PCM audio.
    case software
}
