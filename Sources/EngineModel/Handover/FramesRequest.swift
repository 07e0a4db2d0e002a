// SPDX-License-Identifier: Apache-2.0

/// What pictures are to be when they leave the engine.
public enum FrameFormat: Hashable, Sendable, CaseIterable {
    /// As they were decoded, in their own size.
    case source
    case nv12
    case p010
    case i420
    /// R'G'B' with the primaries and the curve of the source, full range.
    case rgba8
    /// Linear light in the primaries of Display P3, four half-precision floats a pixel; 1 is the white of a standard display.
    case rgbaHalf
}

/// Whether pictures come as time passes.
public enum FramePace: Hashable, Sendable, CaseIterable {
    /// A picture for which there is no room when it is due is left out.
    case realTime
    /// None is left out: playback waits for the front-end.
    case everyFrame
}

/// A front-end's wish for pictures in memory that it can read.
public struct FramesRequest: Hashable, Sendable {
    package static let slotCounts = 3...32
    package static let largestSide = 16_384

    /// `nil`: the default session.
    public var session: SessionID?
    public var format: FrameFormat
    /// In pixels; what is larger is made smaller to fit. Without effect on `FrameFormat.source`.
    public var maximumWidth: Int?
    public var maximumHeight: Int?
    /// Pictures that there is room for.
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
