// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineJSON

/// The output of `variants`: a line per variant, with its use and the reason.
struct VariantsText {
    let variants: [SourceVariant]

    var lines: [String] { variants.map(\.line) }

    func write(asJSON isJSON: Bool) throws(Failure) {
        guard !isJSON else {
            return try Terminal.write(JSON.object(("variants", .array(variants.map(\.json)))).indentedText)
        }
        try Terminal.write(lines, orNone: "the source has no variants")
    }
}

extension SourceVariant {
    /// For example `* 2  1080p  1920x1080  25 fps  6.0 Mb/s  avc1.640028,mp4a.40.2  SDR: the highest bandwidth`.
    var line: String {
        var parts = [name.isEmpty ? "" : Words.plain(name)]
        parts.append(width > 0 ? "\(width)x\(height)" : "")
        parts.append(frameRate > 0 ? "\(Words.number(frameRate, places: 3)) fps" : "")
        parts.append(bandwidth > 0 ? Words.bitRate(UInt64(clamping: bandwidth)) : "")
        parts.append(Words.plain(codecs.joined(separator: ",")))
        parts.append(Words.plain(videoRange))
        let what = parts.filter { !$0.isEmpty }.joined(separator: "  ")
        return "\(use.mark) \(index)  \(what): \(Words.plain(reason))"
    }
}

extension SourceVariant.Use {
    fileprivate var mark: String { self == .played ? "*" : " " }
}
