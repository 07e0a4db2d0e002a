// SPDX-License-Identifier: Apache-2.0

/// How a still is coded.
public enum StillFormat: String, Hashable, Sendable, CaseIterable {
    case jpeg, png, webp
}

/// What becomes of light that an ordinary display cannot show.
public enum StillRange: String, Hashable, Sendable, CaseIterable {
    /// BT.709, as an ordinary display shows it.
    case standard
    /// The source's own PQ or HLG, in 16 bits. PNG only.
    case keep
}

/// How a picture of a film is to look.
public struct StillStyle: Hashable, Sendable {
    /// The largest side that may be asked for.
    public static let largestSide = 16_384

    public var format = StillFormat.jpeg
    /// As it is shown, in pixels. A picture is made smaller to fit, never larger. `nil`: as large as it is.
    public var maximumWidth: Int?
    public var maximumHeight: Int?
    /// 1 … 100, for JPEG and WebP.
    public var quality = 90
    public var range = StillRange.standard

    public init() {}
}
