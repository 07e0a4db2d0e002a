// SPDX-License-Identifier: Apache-2.0

/// Whose picture is wanted.
public enum StillSource: Hashable, Sendable {
    /// `nil`: the default session.
    case session(SessionID?)
    /// An absolute path or a `file:` URL. It need not be loaded.
    case file(String)
}

/// One picture of a film.
public struct StillRequest: Hashable, Sendable {
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// The keyframe at or before the time, decoded alone.
        case thumbnail
        /// The picture that is shown at the time.
        case snapshot
    }

    public var source: StillSource
    public var kind: Kind
    /// On the timeline. Before its first picture is that picture, behind its last one that.
    public var time: MediaTime
    public var style: StillStyle
    /// Whether it waits its turn. Else a later request for the same kind of still of the same source ends it.
    public var waitsItsTurn: Bool

    public init(
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
public struct Still: Hashable, Sendable {
    public var bytes: [UInt8]
    public var format: StillFormat
    /// In pixels, as it is shown.
    public var width: Int
    public var height: Int
    /// When the picture is first shown, on the timeline.
    public var time: MediaTime
    /// For how long it is shown. `nil` when nothing says so.
    public var duration: MediaTime?

    public init(
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
public struct ContactSheetRequest: Hashable, Sendable {
    /// The most pictures a sheet may have.
    public static let largestCount = 400

    public var source: StillSource
    public var columns = 4
    public var rows = 5
    /// Of one picture.
    public var cellWidth = 320
    /// Its limits hold for the whole sheet.
    public var style = StillStyle()

    public init(of source: StillSource) { self.source = source }
}
