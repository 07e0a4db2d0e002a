// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging

extension BluRayPlaylist {
    /// Notices about what the title has and the engine does not present.
    ///
    /// - Parameter name: the name of the title for messages.
    func notices(of name: String) -> [Notice] {
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
        if let subtitles = unplayed(.text, "text subtitles") {
            let text = "\(name) has \(subtitles), which the engine does not show: it shows only graphics"
            notices.append(Notice(.info, "disc.text_subtitles", text))
        }
        return notices
    }

    /// The streams of a kind with their languages; `nil` if there are none.
    private func unplayed(_ kind: BluRayStreamTable.Unplayed.Kind, _ name: String) -> String? {
        let found = items.flatMap(\.table.unplayed).filter { $0.kind == kind }
        guard !found.isEmpty else { return nil }
        let languages = Set(found.map(\.language)).subtracting([""]).sorted()
        return languages.isEmpty ? name : "\(name) (\(languages.joined(separator: ", ")))"
    }
}
