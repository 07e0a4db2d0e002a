// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
package import Packaging

/// The images of subtitles, converted for frames of one shape. `FrameFilterGraph` lays them over the frames.
package struct PictureLayers {
    /// One for each image.
    package let stills: [VideoFrame]
    /// In the syntax of `FrameFilterGraph`.
    package let description: String

    /// - Parameters:
    ///   - images: from the lowest to the highest.
    ///   - fit: places the images on the video as it is displayed.
    ///   - rotation: how far frames are rotated clockwise for display: 0, 90, 180 or 270.
    ///   - format: the pixel format of the result; `nil`: the one in which images are blended.
    package init(
        _ images: [CueImage],
        over shape: FrameShape,
        _ color: FrameColor,
        _ fit: CanvasFit,
        rotation: Int,
        pinning format: String?
    ) throws(FFmpegError) {
        let blend = OverlayBlend(shape)
        var stills: [VideoFrame] = []
        var places: [(x: Int, y: Int)] = []
        for image in images {
            let layout = OverlayLayout(fit.place(of: image), on: shape, rotation: rotation, isAligned: false)
            var target = DrawingFit(
                width: layout.width,
                height: layout.height,
                rotation: rotation,
                pixelFormat: blend.drawingFormat,
                color: color
            )
            // Images are neither moved nor scaled to fit chroma samples, each of which covers two lines and two
            // columns: margins extend them to whole samples. An image that ends at the edge of the frame needs no
            // margin there, because the last line or column may have chroma samples of its own.
            let (right, bottom) = (layout.x + layout.width, layout.y + layout.height)
            target.margins.left = layout.x % 2
            target.margins.top = layout.y % 2
            target.margins.right = right < shape.width ? right % 2 : 0
            target.margins.bottom = bottom < shape.height ? bottom % 2 : 0
            stills.append(try target.applied(to: PixelDecoder.frame(ofPNG: image.png)))
            places.append((layout.x - target.margins.left, layout.y - target.margins.top))
        }
        self.stills = stills
        description = blend.description(places, pinning: format)
    }
}
