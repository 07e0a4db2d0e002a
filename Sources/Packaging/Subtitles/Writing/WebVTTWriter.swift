// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Writes WebVTT (W3C): a header, followed by blocks of times, settings and text.
package enum WebVTTWriter {
    package static let header = "WEBVTT\n\n"

    /// One block including its empty line. Empty for an image.
    package static func block(_ cue: Cue) -> String {
        guard case .text(let text) = cue.content else { return "" }
        let end = cue.end ?? cue.start
        let times = "\(CueClock.webVTT(cue.start.microseconds)) --> \(CueClock.webVTT(end.microseconds))"
        let body = CueMarkup.withoutEmptyLines(CueMarkup.webVTT(text.runs))
        return "\(times)\(settings(of: text))\n\(body)\n\n"
    }

    /// Empty for the default position, bottom centre.
    static func settings(of text: CueText) -> String {
        var settings = ""
        if let position = text.position {
            settings += " line:\(percent(position.y))%,\(word(text.alignment, vertical: true))"
            settings += " position:\(percent(position.x))%,\(word(text.alignment, vertical: false))"
        } else {
            switch (text.alignment - 1) / 3 {
            case 1: settings += " line:50%,center"
            case 2: settings += " line:0"
            default: break
            }
        }
        switch text.alignment % 3 {
        case 1: settings += " align:left"
        case 0: settings += " align:right"
        default: break
        }
        return settings
    }

    private static func word(_ alignment: Int, vertical: Bool) -> String {
        if vertical { return ["end", "center", "start"][min(max((alignment - 1) / 3, 0), 2)] }
        return ["line-right", "line-left", "center"][alignment % 3]
    }

    /// Clamped to the frame, with one decimal unless whole.
    private static func percent(_ fraction: Double) -> String {
        let tenths = Int((min(max(fraction, 0), 1) * 1000).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
