// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension SubtitleTrack {
    var wire: Proto.SubtitleTrack {
        var wire = Proto.SubtitleTrack()
        wire.id = UInt32(clamping: id)
        wire.codec = codec.rawValue
        wire.language = language
        wire.title = title
        wire.dispositions = dispositions
        wire.text = isText
        if case .sidecar(let path) = origin { wire.path = path }
        wire.charset = charset
        wire.found = isFound
        return wire
    }

    init(wire: Proto.SubtitleTrack) {
        let id = Int(wire.id)
        let path = wire.path
        self.init(
            id: id,
            codec: CodecID(rawValue: wire.codec),
            language: wire.language,
            title: wire.title,
            dispositions: wire.dispositions,
            isText: wire.text,
            origin: id < Self.firstSidecar ? .embedded(stream: id) : .sidecar(path)
        )
        charset = wire.charset
        isFound = wire.found
    }
}

extension SubtitleSelection {
    /// An absent or empty selection means `automatic`; an empty list of tracks means none.
    init(optional wire: Proto.SubtitleSelection?) throws(EngineError) {
        self = .automatic
        guard let wire else { return }
        switch wire.wanted {
        case .tracks(let list):
            guard !list.ids.isEmpty else {
                self = .none
                return
            }
            guard list.ids.count <= Self.limit else {
                throw .invalid("subtitles.tracks", "has more than \(Self.limit)")
            }
            self = .tracks(list.ids.map { Int($0) })
        case .languages(let list):
            guard list.languages.count <= Self.languageLimit else {
                throw .invalid("subtitles.languages", "has more than \(Self.languageLimit)")
            }
            let named = list.languages.filter { !$0.isEmpty }
            if !named.isEmpty { self = .languages(named) }
        case nil: return
        }
    }

    private static let languageLimit = 100

    var wire: Proto.SubtitleSelection? {
        switch self {
        case .automatic: nil
        case .none: Proto.SubtitleSelection(wanted: .tracks(Proto.SubtitleTrackList()))
        case .tracks(let ids):
            Proto.SubtitleSelection(wanted: .tracks(Proto.SubtitleTrackList(ids: ids.map { UInt32(clamping: $0) })))
        case .languages(let languages):
            Proto.SubtitleSelection(wanted: .languages(Proto.LanguageList(languages: languages)))
        }
    }
}
