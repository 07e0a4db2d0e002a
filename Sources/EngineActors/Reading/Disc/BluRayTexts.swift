// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Finds the clips of a playlist's text subtitles.
struct BluRayTexts {
    /// The maximum number of clips of all text subtitles of a title, because each local one is an open file.
    private static let clipLimit = 255

    let files: any DiscFiles
    let playlist: BluRayPlaylist
    /// When an item begins on the clock of the title. `nil` if the disc does not contain it.
    let start: (_ item: Int, _ time: Int64) -> Int64?

    /// - Returns: the text subtitles of which the disc has a clip, in the order of the playlist.
    func found(_ interrupt: InterruptFlag) throws(EngineError) -> [TitleText] {
        var clips: [String: DiscFile] = [:]
        var texts: [TitleText] = []
        for text in listed {
            var parts: [TitleText.Part] = []
            for item in playlist.texts[text.path] ?? [] {
                if clips[item.clip] == nil, clips.count < Self.clipLimit {
                    clips[item.clip] = try files.file(["BDMV", "STREAM", "\(item.clip).m2ts"], interrupt)
                }
                guard let file = clips[item.clip], let start = start(item.item, Int64(item.start) * 2) else { continue }
                let duration = Int64(item.outTime &- item.inTime) * 2
                parts.append(.init(file: file, entry: Int64(item.inTime) * 2, duration: duration, start: start))
            }
            if !parts.isEmpty { texts.append(TitleText(text: text, parts: parts)) }
        }
        return texts
    }

    /// The text subtitles of all items. Each item of a title lists the same ones again.
    private var listed: [BluRayStreamTable.Text] {
        var listed: [BluRayStreamTable.Text] = []
        for text in playlist.items.flatMap(\.table.texts) where !listed.contains(text) { listed.append(text) }
        return listed
    }
}
