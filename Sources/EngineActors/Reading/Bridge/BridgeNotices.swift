// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging

/// Notices for the user about a bridge: what the player loses compared with the source.
enum BridgeNotices {
    static func about(_ draft: BridgeDraft, of stream: StreamDescription) -> [Notice] {
        let source = stream.audio ?? AudioProperties()
        let served = draft.setup.track.audio ?? AudioProperties()
        let what = "\(stream.codec.rawValue) stream \(stream.index)"
        var notices: [Notice] = []
        if draft.isMixed {
            let text = "\(what): \(source.channelLayout) is downmixed to \(served.channelLayout)"
            notices.append(Notice(.warning, "audio.downmixed", text))
        }
        if draft.target.isLosslessSource, !draft.target.isLossless {
            let text = "\(what) is lossless but is served as lossy \(draft.target.codec.rawValue)"
            notices.append(Notice(.warning, "audio.lossy", text))
        }
        return notices
    }

    /// Reports that a stream is served without the change that the load asks for.
    static func untreated(_ stream: StreamDescription, because reason: String) -> Notice {
        let what = "\(stream.codec.rawValue) stream \(stream.index)"
        return Notice(.warning, "audio.untreated", "\(what) is played unchanged: \(reason)")
    }

    /// Reports that streams keep their level although the load asks for another.
    static func unmeasured(_ streams: [Int]) -> Notice {
        let what = streams.map(String.init).joined(separator: ", ")
        let text = "the loudness of stream \(what) has not been measured; it keeps its level"
        return Notice(.warning, "audio.not_measured", text)
    }

    /// Reports that one way to serve a stream failed and that the next one is tried.
    static func about(
        _ rung: AudioMatrix.Rung,
        of stream: StreamDescription,
        refusedBy error: PackagingError
    ) -> Notice {
        let what = "\(stream.codec.rawValue) stream \(stream.index)"
        let failure =
            switch rung {
            case .remux: "\(what) cannot be remuxed: \(error)"
            case .bridge: "\(what): \(error)"
            }
        return Notice(.warning, "audio.next_way", "\(failure); trying the next option")
    }
}
