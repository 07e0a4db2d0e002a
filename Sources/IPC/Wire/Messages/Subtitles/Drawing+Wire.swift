// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension DrawingRequest {
    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.DrawSubtitlesRequest(bytes)
        let cues: CueRequest
        do throws(EngineError) {
            cues = try CueRequest(wire.cues ?? Proto.GetCuesRequest())
        } catch {
            throw error.below("cues")
        }
        var request = DrawingRequest(cues, width: Int(wire.width), height: Int(wire.height))
        for (name, side) in [("width", request.width), ("height", request.height)] where !Self.sides.contains(side) {
            throw .invalid(name, "must be \(Self.sides.lowerBound) … \(Self.sides.upperBound)")
        }
        if wire.frameRate != 0 {
            guard Self.frameRates.contains(wire.frameRate) else {
                throw .invalid(
                    "frame_rate",
                    "must be 0, or \(Int(Self.frameRates.lowerBound)) … \(Int(Self.frameRates.upperBound))"
                )
            }
            request.frameRate = wire.frameRate
        }
        request.hasStraightAlpha = wire.straightAlpha
        self = request
    }

    package func framed() -> [UInt8] {
        var wire = Proto.DrawSubtitlesRequest()
        wire.cues = cues.wire
        wire.width = UInt32(clamping: width)
        wire.height = UInt32(clamping: height)
        wire.frameRate = frameRate ?? 0
        wire.straightAlpha = hasStraightAlpha
        return wire.framed()
    }
}

extension DrawnBatch {
    package func framed() -> [UInt8] {
        var wire = Proto.DrawSubtitlesResponse()
        wire.track = track?.wire
        if let fonts {
            wire.fonts = UInt32(clamping: fonts.count)
            wire.fontsLeftOut = UInt32(clamping: fonts.leftOutCount)
            wire.fontsUnavailable = fonts.failure
        }
        wire.pictures = pictures.map { picture in
            var wire = Proto.DrawnPicture()
            wire.startMicroseconds = picture.start.microseconds
            wire.endMicroseconds = picture.end?.microseconds ?? -1
            wire.images = picture.images.map(\.wire)
            return wire
        }
        wire.progress = progress
        return wire.framed()
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.DrawSubtitlesResponse(bytes, fieldLimit: .max)
        var batch = DrawnBatch()
        if let track = wire.track {
            batch.track = SubtitleTrack(wire: track)
            var fonts = EmbeddedFonts()
            fonts.count = Int(wire.fonts)
            fonts.leftOutCount = Int(wire.fontsLeftOut)
            fonts.failure = wire.fontsUnavailable
            batch.fonts = fonts
        }
        batch.pictures = wire.pictures.map { picture in
            DrawnPicture(
                start: MediaTime(microseconds: picture.startMicroseconds),
                end: picture.endMicroseconds == -1 ? nil : MediaTime(microseconds: picture.endMicroseconds),
                images: picture.images.map(CueImage.init(wire:))
            )
        }
        batch.progress = wire.progress
        self = batch
    }
}
