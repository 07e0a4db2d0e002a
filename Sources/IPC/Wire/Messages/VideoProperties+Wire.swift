// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
internal import EngineModel

extension VideoProperties {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__VideoProperties> {
        let wire = unsafe arena.message(Engine__V1__VideoProperties.self)
        unsafe wire.pointee.width = UInt32(clamping: width)
        unsafe wire.pointee.height = UInt32(clamping: height)
        unsafe wire.pointee.sample_aspect_num = UInt32(clamping: sampleAspectRatio.numerator)
        unsafe wire.pointee.sample_aspect_den = UInt32(clamping: sampleAspectRatio.denominator)
        unsafe wire.pointee.frame_rate_num = UInt32(clamping: frameRate?.numerator ?? 0)
        unsafe wire.pointee.frame_rate_den = UInt32(clamping: frameRate?.denominator ?? 0)
        unsafe wire.pointee.pixel_format = arena.string(pixelFormat)
        unsafe wire.pointee.bit_depth = UInt32(clamping: bitDepth)
        unsafe wire.pointee.color_primaries = arena.string(ColorNames.primaries.name(color.primaries))
        unsafe wire.pointee.color_transfer = arena.string(ColorNames.transfer.name(color.transfer))
        unsafe wire.pointee.color_matrix = arena.string(ColorNames.matrix.name(color.matrix))
        unsafe wire.pointee.full_range = color.isFullRange ? 1 : 0
        unsafe wire.pointee.rotation = UInt32(clamping: rotation)
        unsafe wire.pointee.video_format = arena.string(sourceVideoFormat.name)
        unsafe wire.pointee.interlaced = isInterlaced ? 1 : 0
        unsafe wire.pointee.mastering_display = masteringDisplay?.wire(in: arena)
        unsafe wire.pointee.content_light = contentLight?.wire(in: arena)
        unsafe wire.pointee.dolby_vision = dolbyVision?.wire(in: arena)
        unsafe wire.pointee.closed_captions = hasClosedCaptions ? 1 : 0
        unsafe wire.pointee.n_caption_channels = captionChannels.count
        unsafe wire.pointee.caption_channels = arena.array(captionChannels) { unsafe .some(arena.string($0)) }
        unsafe wire.pointee.field_order = arena.string(isTopFieldFirst.map { $0 ? "top" : "bottom" } ?? "")
        unsafe wire.pointee.chroma_format = UInt32(clamping: chromaFormat)
        unsafe wire.pointee.crop_left = UInt32(clamping: cropping.left)
        unsafe wire.pointee.crop_top = UInt32(clamping: cropping.top)
        unsafe wire.pointee.crop_right = UInt32(clamping: cropping.right)
        unsafe wire.pointee.crop_bottom = UInt32(clamping: cropping.bottom)
        return unsafe wire
    }

    init(wire: Engine__V1__VideoProperties) {
        self.init()
        width = Int(unsafe wire.width)
        height = Int(unsafe wire.height)
        sampleAspectRatio = unsafe Ratio(Int(wire.sample_aspect_num), Int(wire.sample_aspect_den))
        if unsafe wire.frame_rate_den != 0 {
            frameRate = unsafe Ratio(Int(wire.frame_rate_num), Int(wire.frame_rate_den))
        }
        pixelFormat = unsafe text(wire.pixel_format)
        bitDepth = Int(unsafe wire.bit_depth)
        color = ColorDescription(
            primaries: ColorNames.primaries.codePoint(unsafe text(wire.color_primaries)),
            transfer: ColorNames.transfer.codePoint(unsafe text(wire.color_transfer)),
            matrix: ColorNames.matrix.codePoint(unsafe text(wire.color_matrix)),
            isFullRange: unsafe wire.full_range != 0
        )
        rotation = Int(unsafe wire.rotation)
        sourceVideoFormat = VideoFormat(name: unsafe text(wire.video_format)) ?? .sdr
        isInterlaced = unsafe wire.interlaced != 0
        masteringDisplay = unsafe wire.mastering_display.map { unsafe MasteringDisplay(wire: $0.pointee) }
        contentLight = unsafe wire.content_light.map { unsafe ContentLight(wire: $0.pointee) }
        dolbyVision = unsafe wire.dolby_vision.map { unsafe DolbyVisionConfiguration(wire: $0.pointee) }
        hasClosedCaptions = unsafe wire.closed_captions != 0
        captionChannels = unsafe texts(wire.caption_channels, wire.n_caption_channels)
        let order = unsafe text(wire.field_order)
        isTopFieldFirst = order.isEmpty ? nil : order == "top"
        chromaFormat = Int(unsafe wire.chroma_format)
        cropping = Cropping(
            left: Int(unsafe wire.crop_left),
            top: Int(unsafe wire.crop_top),
            right: Int(unsafe wire.crop_right),
            bottom: Int(unsafe wire.crop_bottom)
        )
    }
}
