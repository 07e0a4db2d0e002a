// SPDX-License-Identifier: Apache-2.0

/// Selects the subtitle tracks to show. Tracks that do not exist are skipped, with a notice.
public enum SubtitleSelection: Hashable, Sendable {
    /// The first track that the source marks as default, otherwise the first that it marks as forced, otherwise none.
    case automatic
    case none
    /// By id, several at a time.
    case tracks([Int])
    /// The first language in the list that a track has; see `AudioSelection.languages`.
    case languages([String])

    /// The most tracks shown at a time.
    public static let limit = 8
}

/// Selects one track of a source or session for reading.
public enum SubtitleChoice: Hashable, Sendable {
    /// In a request for cues of a session: the selected tracks, if there are any. Otherwise the track that
    /// `SubtitleSelection.automatic` selects, or the first.
    case automatic
    case id(Int)
    /// Counted from 0 among the subtitle tracks.
    case number(Int)
    case language(String)
}
