// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// PixelCrop of the video tracks of a Matroska file (RFC 9559 §5.1.4.1.28), which libavformat 5.1 does not read.
package enum MatroskaCropping {
    private enum ID {
        static let video: UInt64 = 0xE0
        static let bottom: UInt64 = 0x54AA
        static let top: UInt64 = 0x54BB
        static let left: UInt64 = 0x54CC
        static let right: UInt64 = 0x54DD
    }

    /// One entry per video track, in file order. Empty if the track entries are not within `head`.
    ///
    /// - Parameter head: the beginning of the file.
    package static func find(in head: [UInt8]) -> [Cropping] {
        guard let tracks = MatroskaTracks.content(inHead: head) else { return [] }
        return MatroskaElements.children(of: head, in: tracks).filter { $0.id == MatroskaID.trackEntry }
            .compactMap { entry in MatroskaElements.children(of: head, in: entry.content).first { $0.id == ID.video } }
            .map { video in
                var cropping = Cropping()
                for element in MatroskaElements.children(of: head, in: video.content) where element.content.count <= 8 {
                    let value = Int(clamping: head[element.content].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
                    switch element.id {
                    case ID.bottom: cropping.bottom = value
                    case ID.top: cropping.top = value
                    case ID.left: cropping.left = value
                    case ID.right: cropping.right = value
                    default: break
                    }
                }
                return cropping
            }
    }
}
