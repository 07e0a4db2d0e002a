// SPDX-License-Identifier: Apache-2.0

/// The file format of a still.
public enum StillFormat: String, Hashable, Sendable, CaseIterable {
    case jpeg, png, webp
}

/// How HDR is handled in stills.
public enum StillRange: String, Hashable, Sendable, CaseIterable {
    /// Converted to BT.709, for an SDR display.
    case standard
    /// Keeps the source's PQ or HLG, in 16 bits. PNG only.
    case keep
}

/// The format and size of a still image.
public struct StillStyle: Hashable, Sendable {
    /// The largest side that may be requested.
    public static let largestSide = 16_384

    public var format = StillFormat.jpeg
    /// In pixels, as displayed. Images are scaled down to fit, never up. `nil`: no limit.
    public var maximumWidth: Int?
    public var maximumHeight: Int?
    /// 1 … 100, for JPEG and WebP.
    public var quality = 90
    public var range = StillRange.standard

    public init() {}
}
