// SPDX-License-Identifier: Apache-2.0

/// Which way a session's media reach whoever shows them.
public enum PlaybackPath: String, Hashable, Sendable, CaseIterable {
    /// Packets in another container: a player fetches them as HLS and decodes them.
    case remux
    /// The engine decodes, keeps time, and hands on pictures and sound.
    case software
}
