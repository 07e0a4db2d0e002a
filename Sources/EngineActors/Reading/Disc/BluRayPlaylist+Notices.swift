// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging

extension BluRayPlaylist {
    /// Notices about contents of the title that the engine does not present.
    ///
    /// - Parameters:
    ///   - name: the name of the title for messages.
    ///   - texts: the languages of the text subtitles that are shown.
    func notices(of name: String, showing texts: [String] = []) -> [Notice] {
        var notices: [Notice] = []
        if isStereoscopic {
            notices.append(Notice(.info, "disc.base_view", "\(name) is in 3D; the view for 2D is played"))
        }
        let secondary = [
            unplayed(.secondaryAudio, "secondary audio"), unplayed(.secondaryVideo, "picture-in-picture video"),
        ].compactMap(\.self)
        if !secondary.isEmpty {
            let text =
                "\(name) has \(secondary.joined(separator: " and ")), which the engine does not mix into the title"
            notices.append(Notice(.info, "disc.secondary_streams", text))
        }
        if let subtitles = unplayed(.text, "text subtitles", except: texts) {
            let text = "\(name) has \(subtitles), which the engine does not show: their clips are missing or damaged"
            notices.append(Notice(.info, "disc.text_subtitles", text))
        }
        return notices
    }

    /// `name`, with the languages of the streams of this kind; `nil` if there are none.
    private func unplayed(
        _ kind: BluRayStreamTable.Unplayed.Kind,
        _ name: String,
        except shown: [String] = []
    ) -> String? {
        let found = items.flatMap(\.table.unplayed).filter { $0.kind == kind && !shown.contains($0.language) }
        guard !found.isEmpty else { return nil }
        let languages = Set(found.map(\.language)).subtracting([""]).sorted()
        return languages.isEmpty ? name : "\(name) (\(languages.joined(separator: ", ")))"
    }
}
