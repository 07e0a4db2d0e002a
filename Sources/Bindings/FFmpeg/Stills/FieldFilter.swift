// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The pictures around one, in presentation order.
package struct Neighbours: Sendable {
    package let previous: VideoFrame
    package let next: VideoFrame

    package init(previous: VideoFrame, next: VideoFrame) {
        self.previous = previous
        self.next = next
    }
}

/// How a picture of two fields becomes one of lines that belong together.
struct FieldFilter {
    enum Method: Hashable {
        case none
        /// The lines of its first field and nothing else: half as many, for stills that need no more.
        case alone(isTopFirst: Bool)
        /// From the lines of its first field, along edges.
        case spatial(isTopFirst: Bool)
        /// With the pictures before and after it, of which it is the second.
        case temporal(isTopFirst: Bool)

        var description: String? {
            switch self {
            case .none: nil
            case .alone(let isTopFirst): "field=type=\(isTopFirst ? "top" : "bottom")"
            case .spatial(let isTopFirst): "estdif=mode=frame:parity=\(isTopFirst ? "tff" : "bff"):deint=all"
            case .temporal(let isTopFirst):
                "bwdif=mode=send_frame:parity=\(isTopFirst ? "tff" : "bff"):deint=all,trim=start_frame=1:end_frame=2"
            }
        }
    }

    let method: Method
    private let input: [VideoFrame]

    /// - Parameters:
    ///   - neighbours: those of another shape are left out.
    ///   - layout: of the still.
    init(_ frame: VideoFrame, _ neighbours: Neighbours?, for layout: StillLayout) {
        guard frame.isInterlaced else {
            method = .none
            input = [frame]
            return
        }
        // Cropping counts lines of the whole picture.
        if layout.cropping.isNone, layout.scaledHeight * 2 <= frame.height {
            method = .alone(isTopFirst: frame.isTopFieldFirst)
            input = [frame]
            return
        }
        guard let neighbours, neighbours.previous.isShaped(like: frame), neighbours.next.isShaped(like: frame) else {
            method = .spatial(isTopFirst: frame.isTopFieldFirst)
            input = [frame]
            return
        }
        method = .temporal(isTopFirst: frame.isTopFieldFirst)
        input = [neighbours.previous, frame, neighbours.next]
    }

    /// What goes into the chain, in this order, with these colours written on it.
    func pictures(_ color: PictureColor) -> [VideoFrame] {
        input.enumerated().map { index, picture in picture.tagged(color, at: Int64(index)) }
    }
}
