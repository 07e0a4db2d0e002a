// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// Decodes bitmap subtitles (PGS, DVB, DVD and XSUB): one cue for each rectangle of a display set.
///
/// A display set replaces the previous one, so an empty display set becomes a cue without content.
final class PictureCueDecoder: CueDecoder {
    private let setting: CueSetting
    private var codec: SubtitleCodec
    private var graphics: GraphicsSegments?
    /// The canvas size that the stream declared last.
    private var canvas: PictureCanvas?

    var scriptHeader: String { "" }

    init(_ setting: CueSetting, _ codec: consuming SubtitleCodec) {
        self.setting = setting
        self.codec = codec
        graphics = setting.track.codec.rawValue == "hdmv_pgs_subtitle" ? GraphicsSegments() : nil
    }

    func pass(_ packet: Packet) { _ = decoded(packet) }

    func cues(of packet: Packet) -> [Cue] { decoded(packet).flatMap { cues(of: $0, packet) } }

    private func cues(of decoded: DecodedSubtitle, _ packet: Packet) -> [Cue] {
        guard let time = time(of: decoded, packet) else { return [] }
        let start = time + MediaTime(microseconds: decoded.startOffset &* 1000)
        let end = decoded.endOffset.map { time + MediaTime(microseconds: $0 &* 1000) }
        let cues = pictures(of: decoded).map { image, isForced in
            Cue(
                track: setting.track.id,
                start: start,
                end: end.flatMap { $0 > start ? $0 : nil },
                content: .image(image),
                isForced: isForced
            )
        }
        guard cues.isEmpty else { return cues }
        return [Cue(track: setting.track.id, start: start, end: start, content: .nothing)]
    }

    /// The last packet of a display set completes it, so no cue remains.
    func finish() -> [Cue] { [] }

    private func decoded(_ packet: Packet) -> [DecodedSubtitle] {
        let pieces = packet.withBytes { graphics?.repaired($0) }?.map { packet.carrying($0) } ?? [packet]
        return pieces.compactMap { piece in
            guard let decoded = codec.readable(piece) else { return nil }
            if decoded.canvasWidth > 0, decoded.canvasHeight > 0 {
                canvas = PictureCanvas(width: decoded.canvasWidth, height: decoded.canvasHeight)
            }
            return decoded
        }
    }

    private func time(of decoded: DecodedSubtitle, _ packet: Packet) -> MediaTime? {
        if let time = decoded.time { return setting.origin.presentation(of: MediaTime(microseconds: time)) }
        return (packet.pts ?? packet.dts).map(setting.time)
    }

    private func pictures(of decoded: DecodedSubtitle) -> [(CueImage, isForced: Bool)] {
        var extent = PictureCanvas(width: 0, height: 0)
        var found: [(bitmap: SubtitleBitmap, picture: CroppedPicture)] = []
        for case .bitmap(let bitmap) in decoded.parts {
            guard bitmap.x >= 0, bitmap.y >= 0,
                let picture = CroppedPicture(
                    width: bitmap.width,
                    height: bitmap.height,
                    indices: bitmap.indices,
                    palette: bitmap.palette
                )
            else { continue }
            found.append((bitmap, picture))
            extent = extent.holding(x: bitmap.x, y: bitmap.y, width: bitmap.width, height: bitmap.height)
        }
        let canvas = PictureCanvas.chosen(
            declared: canvas,
            for: setting.track.codec,
            video: setting.videoCanvas,
            shown: extent
        )
        return found.compactMap { bitmap, picture in
            let png: [UInt8]
            do throws(FFmpegError) {
                png = try PixelEncoder.png(width: picture.width, height: picture.height, pixels: picture.pixels)
            } catch {
                // Only an impossible size cannot be encoded: the bitmap is skipped.
                return nil
            }
            let image = CueImage(
                png: png,
                width: picture.width,
                height: picture.height,
                corner: canvas.fraction(x: bitmap.x + picture.x, y: bitmap.y + picture.y),
                extent: canvas.fraction(x: picture.width, y: picture.height),
                canvasWidth: canvas.width,
                canvasHeight: canvas.height
            )
            return (image, bitmap.isForced)
        }
    }
}
