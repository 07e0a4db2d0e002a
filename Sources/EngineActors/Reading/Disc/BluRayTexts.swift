// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Finds the clips of a playlist's text subtitles.
struct BluRayTexts {
    /// The maximum number of clips of all text subtitles of a title, because each local one is an open file.
    private static let clipLimit = 255
    /// The maximum number of text subtitles of a title, each of which may name all clips.
    private static let textLimit = 255

    let files: any DiscFiles
    let playlist: BluRayPlaylist
    /// Converts a time on the clock of a playlist item, in ticks of 90 kHz, to the clock of the title. `nil` if the
    /// title does not contain the item.
    let start: (_ item: Int, _ time: Int64) -> Int64?

    /// - Returns: the text subtitles of which the disc has a clip, in the order of the playlist.
    func found(_ interrupt: InterruptFlag) throws(EngineError) -> [TitleText] {
        var clips: [String: DiscFile?] = [:]
        var texts: [TitleText] = []
        for text in listed {
            var parts: [TitleText.Part] = []
            for item in playlist.texts[text.path] ?? [] {
                if clips[item.clip] == nil {
                    guard clips.count < Self.clipLimit else { continue }
                    clips[item.clip] = .some(try clip(item.clip, interrupt))
                }
                guard case let file?? = clips[item.clip], let start = start(item.item, Int64(item.start) * 2) else {
                    continue
                }
                let entry = Int64(item.inTime) * 2
                let duration = Int64(item.outTime &- item.inTime) * 2
                parts.append(.init(clip: item.clip, file: file, entry: entry, duration: duration, start: start))
            }
            if !parts.isEmpty { texts.append(TitleText(text: text, parts: parts)) }
        }
        return texts
    }

    /// A clip. `nil` if the disc does not have it, or it cannot be opened: only subtitles depend on it.
    private func clip(_ name: String, _ interrupt: InterruptFlag) throws(EngineError) -> DiscFile? {
        do throws(EngineError) {
            return try files.file(["BDMV", "STREAM", "\(name).m2ts"], interrupt)
        } catch {
            if error.code == .cancelled { throw error }
            return nil
        }
    }

    /// The different text subtitles of all items, at most `textLimit`. Most items list the same ones.
    private var listed: [BluRayStreamTable.Text] {
        var known: Set<BluRayStreamTable.Text> = []
        var listed: [BluRayStreamTable.Text] = []
        for item in playlist.items {
            for text in item.table.texts where known.insert(text).inserted {
                guard listed.count < Self.textLimit else { return listed }
                listed.append(text)
            }
        }
        return listed
    }
}
