// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension Notice {
    /// - Parameters:
    ///   - duration: `nil` if it is unknown.
    ///   - place: the time, and how the break is marked.
    static func adBreakBegins(for duration: MediaTime?, _ place: String) -> Notice {
        let length = duration.map { " of \(($0.seconds * 1000).rounded() / 1000) s" } ?? ""
        return Notice(.info, "live.ad_break", "an ad break\(length) begins \(place)")
    }

    /// - Parameter place: the time, and how the break is marked.
    static func adBreakEnds(_ place: String) -> Notice {
        Notice(.info, "live.ad_break_ended", "an ad break ends \(place)")
    }

    /// The notice about an SCTE 35 message in the media.
    ///
    /// - Parameter time: when the break begins or ends.
    package static func adBreak(_ splice: StreamReception.Splice, _ time: String) -> Notice {
        let place = "\(time) (SCTE 35, event \(splice.event))"
        switch splice.kind {
        case .begins(let duration): return adBreakBegins(for: duration, place)
        case .ends: return adBreakEnds(place)
        case .cancelled:
            let text = "the ad break of event \(splice.event) is cancelled (SCTE 35)"
            return Notice(.info, "live.ad_break_ended", text)
        }
    }
}
