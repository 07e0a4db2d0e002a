// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension RecognitionRequest {
    private static let languageLimit = 64

    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.RecognizeSubtitlesRequest(bytes)
        var request = RecognitionRequest(session: .wire(wire.sessionID), track: Int(wire.track))
        guard wire.language.utf8.count <= Self.languageLimit else {
            throw .invalid("language", "is longer than \(Self.languageLimit) bytes")
        }
        (request.language, request.isShown) = (wire.language, wire.show)
        self = request
    }

    package func framed() -> [UInt8] {
        var wire = Proto.RecognizeSubtitlesRequest()
        wire.sessionID = session?.rawValue ?? ""
        wire.track = UInt32(clamping: track)
        wire.language = language
        wire.show = isShown
        return wire.framed()
    }
}

extension RecognitionStep {
    package func framed() -> [UInt8] {
        var wire = Proto.RecognizeSubtitlesResponse()
        wire.progress = progress
        wire.images = UInt32(clamping: imageCount)
        wire.track = track.map { UInt32(clamping: $0) } ?? 0
        return wire.framed()
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.RecognizeSubtitlesResponse(bytes)
        var step = RecognitionStep()
        (step.progress, step.imageCount) = (wire.progress, Int(wire.images))
        step.track = wire.track == 0 ? nil : Int(wire.track)
        self = step
    }
}
