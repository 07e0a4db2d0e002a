// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// How a picture of two fields, which were taken at two moments, becomes one of lines that belong together.
enum FieldFilter: Hashable {
    case none
    /// The lines of its first field and nothing else: half as many, for stills that need no more.
    case alone(isTopFirst: Bool)
    /// The lines of its first field, and between them lines made from those along edges.
    case between(isTopFirst: Bool)

    /// - Parameter layout: of the still.
    init(_ picture: VideoFrame, for layout: StillLayout) {
        guard picture.isInterlaced else {
            self = .none
            return
        }
        // Cropping counts lines of the whole picture.
        let isEnough = layout.cropping.isNone && layout.scaledHeight * 2 <= picture.height
        let isTopFirst = picture.isTopFieldFirst
        self = isEnough ? .alone(isTopFirst: isTopFirst) : .between(isTopFirst: isTopFirst)
    }

    /// For libavfilter.
    var description: String? {
        switch self {
        case .none: nil
        case .alone(let isTopFirst): "field=type=\(isTopFirst ? "top" : "bottom")"
        case .between(let isTopFirst): "estdif=mode=frame:parity=\(isTopFirst ? "tff" : "bff"):deint=all"
        }
    }
}
