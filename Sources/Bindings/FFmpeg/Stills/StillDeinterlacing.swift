// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The method of deinterlacing a single frame, whose two fields were captured at different times.
enum StillDeinterlacing: Hashable {
    case none
    /// Only the lines of the first field, i.e. half the height, if the still needs no more lines.
    case alone(isTopFirst: Bool)
    /// The lines of the first field, with edge-directed interpolation between them.
    case between(isTopFirst: Bool)

    /// - Parameter layout: the layout of the still.
    init(_ frame: VideoFrame, for layout: StillLayout) {
        guard frame.isInterlaced else {
            self = .none
            return
        }
        // Cropping is in lines of the full frame.
        let isEnough = layout.cropping.isNone && layout.scaledHeight * 2 <= frame.height
        let isTopFirst = frame.isTopFieldFirst
        self = isEnough ? .alone(isTopFirst: isTopFirst) : .between(isTopFirst: isTopFirst)
    }

    /// The libavfilter description of the filter; `nil` if none is needed.
    var description: String? {
        switch self {
        case .none: nil
        case .alone(let isTopFirst): "field=type=\(isTopFirst ? "top" : "bottom")"
        case .between(let isTopFirst): "estdif=mode=frame:parity=\(isTopFirst ? "tff" : "bff"):deint=all"
        }
    }
}
