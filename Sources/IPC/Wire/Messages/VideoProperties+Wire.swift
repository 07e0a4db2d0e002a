// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension VideoProperties {
    var wire: Proto.VideoProperties {
        var wire = Proto.VideoProperties()
        wire.width = UInt32(clamping: width)
        wire.height = UInt32(clamping: height)
        wire.sampleAspectNum = UInt32(clamping: sampleAspectRatio.numerator)
        wire.sampleAspectDen = UInt32(clamping: sampleAspectRatio.denominator)
        wire.frameRateNum = UInt32(clamping: frameRate?.numerator ?? 0)
        wire.frameRateDen = UInt32(clamping: frameRate?.denominator ?? 0)
        wire.pixelFormat = pixelFormat
        wire.bitDepth = UInt32(clamping: bitDepth)
        wire.colorPrimaries = ColorNames.primaries.name(color.primaries)
        wire.colorTransfer = ColorNames.transfer.name(color.transfer)
        wire.colorMatrix = ColorNames.matrix.name(color.matrix)
        wire.fullRange = color.isFullRange
        wire.rotation = UInt32(clamping: rotation)
        wire.videoFormat = sourceVideoFormat.name
        wire.interlaced = isInterlaced
        wire.masteringDisplay = masteringDisplay?.wire
        wire.contentLight = contentLight?.wire
        wire.dolbyVision = dolbyVision?.wire
        wire.closedCaptions = hasClosedCaptions
        wire.captionChannels = captionChannels
        wire.fieldOrder = isTopFieldFirst.map { $0 ? "top" : "bottom" } ?? ""
        wire.chromaFormat = UInt32(clamping: chromaFormat)
        wire.cropLeft = UInt32(clamping: cropping.left)
        wire.cropTop = UInt32(clamping: cropping.top)
        wire.cropRight = UInt32(clamping: cropping.right)
        wire.cropBottom = UInt32(clamping: cropping.bottom)
        return wire
    }

    init(wire: Proto.VideoProperties) {
        self.init()
        width = Int(wire.width)
        height = Int(wire.height)
        sampleAspectRatio = Ratio(Int(wire.sampleAspectNum), Int(wire.sampleAspectDen))
        if wire.frameRateDen != 0 {
            frameRate = Ratio(Int(wire.frameRateNum), Int(wire.frameRateDen))
        }
        pixelFormat = wire.pixelFormat
        bitDepth = Int(wire.bitDepth)
        color = ColorDescription(
            primaries: ColorNames.primaries.codePoint(wire.colorPrimaries),
            transfer: ColorNames.transfer.codePoint(wire.colorTransfer),
            matrix: ColorNames.matrix.codePoint(wire.colorMatrix),
            isFullRange: wire.fullRange
        )
        rotation = Int(wire.rotation)
        sourceVideoFormat = VideoFormat(name: wire.videoFormat) ?? .sdr
        isInterlaced = wire.interlaced
        masteringDisplay = wire.masteringDisplay.map(MasteringDisplay.init(wire:))
        contentLight = wire.contentLight.map(ContentLight.init(wire:))
        dolbyVision = wire.dolbyVision.map(DolbyVisionConfiguration.init(wire:))
        hasClosedCaptions = wire.closedCaptions
        captionChannels = wire.captionChannels
        let order = wire.fieldOrder
        isTopFieldFirst = order.isEmpty ? nil : order == "top"
        chromaFormat = Int(wire.chromaFormat)
        cropping = Cropping(
            left: Int(wire.cropLeft),
            top: Int(wire.cropTop),
            right: Int(wire.cropRight),
            bottom: Int(wire.cropBottom)
        )
    }
}
