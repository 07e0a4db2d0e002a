// SPDX-License-Identifier: Apache-2.0

/// The source of a still image.
public enum StillSource: Hashable, Sendable {
    /// `nil`: the default session.
    case session(SessionID?)
    /// See `LoadRequest.source`. The source need not be loaded.
    case source(String, HTTPOptions = HTTPOptions(), program: ProgramSelection = .automatic)
}

/// A request for one still image.
public struct StillRequest: Hashable, Sendable {
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// The keyframe at or before the time, decoded alone.
        case thumbnail
        /// The frame that is shown at the time.
        case snapshot
    }

    public var source: StillSource
    public var kind: Kind
    /// On the timeline. Times before the first frame return the first frame; times after the last return the last.
    public var time: MediaTime
    public var style: StillStyle
    /// Whether the request is queued. Otherwise it is cancelled by a later request for the same kind of still from the
    /// same source that arrives before its turn.
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

/// A still image as an encoded file.
public struct Still: Hashable, Sendable {
    public var bytes: [UInt8]
    public var format: StillFormat
    /// In pixels, as displayed.
    public var width: Int
    public var height: Int
    /// The time at which the frame is first shown, on the timeline.
    public var time: MediaTime
    /// How long the frame is shown. `nil` if unknown.
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

/// Images from the whole source on one sheet, each labelled with its time.
public struct ContactSheetRequest: Hashable, Sendable {
    /// The most images that a sheet may have.
    public static let largestCount = 400

    public var source: StillSource
    public var columns = 4
    public var rows = 5
    /// The width of one image.
    public var cellWidth = 320
    /// Its size limits apply to the whole sheet.
    public var style = StillStyle()

    public init(of source: StillSource) { self.source = source }
}
