// SPDX-License-Identifier: Apache-2.0

/// The pixel format of frames handed to front-ends.
public enum FrameFormat: Hashable, Sendable, CaseIterable {
    /// As decoded, in the original size.
    case source
    case nv12
    case p010
    case i420
    /// R'G'B' with the primaries and the transfer function of the source, full range.
    case rgba8
    /// Linear light with Display P3 primaries, four half-precision floats per pixel; 1 is the white of a standard
    /// display.
    case rgbaHalf
}

/// Whether frames are delivered in real time.
public enum FramePace: Hashable, Sendable, CaseIterable {
    /// A frame is dropped if no slot is free when it is due.
    case realTime
    /// No frame is dropped: playback waits for the front-end.
    case everyFrame
}

/// A front-end's request for frames in memory that it can read.
public struct FramesRequest: Hashable, Sendable {
    package static let slotCounts = 3...32
    package static let largestSide = 16_384

    /// `nil`: the default session.
    public var session: SessionID?
    public var format: FrameFormat
    /// In pixels; larger frames are scaled down to fit. No effect with `FrameFormat.source`.
    public var maximumWidth: Int?
    public var maximumHeight: Int?
    /// The number of frames that the ring can hold.
    public var slotCount: Int
    public var pace: FramePace

    public init(
        of session: SessionID? = nil,
        format: FrameFormat = .source,
        maximumWidth: Int? = nil,
        maximumHeight: Int? = nil,
        slotCount: Int = 6,
        pace: FramePace = .realTime
    ) {
        self.session = session
        self.format = format
        self.maximumWidth = maximumWidth
        self.maximumHeight = maximumHeight
        self.slotCount = slotCount
        self.pace = pace
    }
}
