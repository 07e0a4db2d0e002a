// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging

/// What a person should know of a bridge: what of the source the player will not hear.
enum BridgeNotices {
    static func about(_ draft: BridgeDraft, of stream: StreamDescription) -> [Notice] {
        let source = stream.audio ?? AudioProperties()
        let served = draft.setup.track.audio ?? AudioProperties()
        let what = "\(stream.codec.rawValue) stream \(stream.index)"
        var notices: [Notice] = []
        if let objects = source.objects {
            let name = if case .dtsX = objects { "DTS:X" } else { "Dolby Atmos" }
            let text = "\(what): the objects of \(name) are lost, its channels are served as \(served.channelLayout)"
            notices.append(Notice(.warning, "audio.objects_lost", text))
        }
        if served.channels < source.channels {
            let text = "\(what): \(source.channelLayout) is mixed down to \(served.channelLayout)"
            notices.append(Notice(.warning, "audio.downmixed", text))
        }
        if draft.target.isLosslessSource, !draft.target.isLossless {
            let text = "\(what) is lossless and is served as lossy \(draft.target.codec.rawValue)"
            notices.append(Notice(.warning, "audio.lossy", text))
        }
        return notices
    }
}
