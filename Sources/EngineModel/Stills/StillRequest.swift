// SPDX-License-Identifier: Apache-2.0

/// Whose picture is wanted.
package enum StillSource: Hashable, Sendable {
    /// `nil`: the default session.
    case session(SessionID?)
    /// An absolute path or a `file:` URL. It need not be loaded.
    case file(String)
}

/// One picture of a film.
package struct StillRequest: Hashable, Sendable {
    package enum Kind: Hashable, Sendable, CaseIterable {
        /// The keyframe at or before the time, decoded alone.
        case thumbnail
        /// The picture that is shown at the time.
        case snapshot
    }

    package var source: StillSource
    package var kind: Kind
    /// On the timeline. Before its first picture is that picture, behind its last one that.
    package var time: MediaTime
    package var style: StillStyle
    /// Whether it waits its turn. Else a later request for the same kind of still of the same source ends it.
    package var waitsItsTurn: Bool

    package init(
        _ kind: Kind,
        of source: StillSource,
        at time: MediaTime,
        style: StillStyle = StillStyle(),
        waitsItsTurn: Bool = false
    ) {
        self.kind = kind
        self.source = source
        self.time = time
        self.style = style
        self.waitsItsTurn = waitsItsTurn
    }
}

/// A picture of a film as a file.
package struct Still: Hashable, Sendable {
    package var bytes: [UInt8]
    package var format: StillFormat
    /// In pixels, as it is shown.
    package var width: Int
    package var height: Int
    /// When the picture is first shown, on the timeline.
    package var time: MediaTime
    /// For how long it is shown. `nil` when nothing says so.
    package var duration: MediaTime?

    package init(
        bytes: [UInt8],
        format: StillFormat,
        width: Int,
        height: Int,
        time: MediaTime,
        duration: MediaTime? = nil
    ) {
        self.bytes = bytes
        self.format = format
        self.width = width
        self.height = height
        self.time = time
        self.duration = duration
    }
}

/// Pictures of a whole film on one sheet, each with its time.
package struct ContactSheetRequest: Hashable, Sendable {
    /// The most pictures a sheet may have.
    package static let largestCount = 400

    package var source: StillSource
    package var columns = 4
    package var rows = 5
    /// Of one picture.
    package var cellWidth = 320
    /// Its limits hold for the whole sheet.
    package var style = StillStyle()

    package init(of source: StillSource) { self.source = source }
}
