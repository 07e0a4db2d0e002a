// SPDX-License-Identifier: Apache-2.0

/// Which subtitle tracks are shown. What does not name a track is left out, with a notice.
public enum SubtitleSelection: Hashable, Sendable {
    /// The first track that the source marks as default, else the first that it marks as forced, else none.
    case automatic
    case none
    /// By id, several at a time.
    case tracks([Int])
    /// The first language of the list that a track has: as `AudioSelection.languages`.
    case languages([String])

    /// No more are shown at a time.
    public static let limit = 8
}

/// One track of a source or session, for those who want to read it.
public enum SubtitleChoice: Hashable, Sendable {
    /// Of a session: what is selected. Else what `automatic` selects, or the first.
    case automatic
    case id(Int)
    /// Counted from 0 among the subtitle tracks.
    case number(Int)
    case language(String)
}
