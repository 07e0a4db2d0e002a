// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// A codec to which video is encoded for a player.
package enum EncodedCodec: String, Hashable, Sendable, CaseIterable {
    case h264, vp9, av1

    /// - Parameter entry: of video that a player receives, by its four-character code.
    package init?(entry: String) {
        guard let found = Self.allCases.first(where: { $0.entry.rawValue == entry }) else { return nil }
        self = found
    }

    package var codec: CodecID { CodecID(rawValue: rawValue) }

    package var entry: VideoEntry {
        switch self {
        case .h264: .avc1
        case .vp9: .vp09
        case .av1: .av01
        }
    }

    /// As messages name it.
    package var name: String {
        switch self {
        case .h264: "H.264"
        case .vp9: "VP9"
        case .av1: "AV1"
        }
    }

    /// The smallest width and height of pictures that the encoder takes, in pixels.
    package var smallestSide: Int { self == .av1 ? 64 : 2 }

    /// The range of the encoder's constant quality. Higher values are worse.
    package var qualities: ClosedRange<Int> {
        switch self {
        case .h264: 0...51
        case .vp9, .av1: 1...63
        }
    }
}
