// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
internal import EngineModel

extension SubtitleTrack {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__SubtitleTrack> {
        let wire = unsafe arena.message(Engine__V1__SubtitleTrack.self)
        unsafe wire.pointee.id = UInt32(clamping: id)
        unsafe wire.pointee.codec = arena.string(codec.rawValue)
        unsafe wire.pointee.language = arena.string(language)
        unsafe wire.pointee.title = arena.string(title)
        unsafe wire.pointee.n_dispositions = dispositions.count
        unsafe wire.pointee.dispositions = arena.array(dispositions) { unsafe .some(arena.string($0)) }
        unsafe wire.pointee.text = isText ? 1 : 0
        if case .sidecar(let path) = origin { unsafe wire.pointee.path = arena.string(path) }
        unsafe wire.pointee.charset = arena.string(charset)
        return unsafe wire
    }

    init(wire: Engine__V1__SubtitleTrack) {
        let id = Int(unsafe wire.id)
        let path = unsafe Wire.text(wire.path)
        unsafe self.init(
            id: id,
            codec: CodecID(rawValue: Wire.text(wire.codec)),
            language: Wire.text(wire.language),
            title: Wire.text(wire.title),
            dispositions: texts(wire.dispositions, wire.n_dispositions),
            isText: wire.text != 0,
            origin: id < Self.firstSidecar ? .embedded(stream: id) : .sidecar(path)
        )
        charset = unsafe Wire.text(wire.charset)
    }
}

extension SubtitleSelection {
    /// An absent or empty selection means `automatic`; an empty list of tracks means none.
    init(optional wire: UnsafeMutablePointer<Engine__V1__SubtitleSelection>?) throws(EngineError) {
        self = .automatic
        guard let wire = unsafe wire?.pointee else { return }
        switch unsafe wire.wanted_case {
        case ENGINE__V1__SUBTITLE_SELECTION__WANTED_TRACKS:
            guard let list = unsafe wire.tracks?.pointee, let ids = unsafe list.ids, unsafe list.n_ids > 0 else {
                self = .none
                return
            }
            guard unsafe list.n_ids <= Self.limit else {
                throw .invalid("subtitles.tracks", "has more than \(Self.limit)")
            }
            self = unsafe .tracks((0..<list.n_ids).map { unsafe Int(ids[$0]) })
        case ENGINE__V1__SUBTITLE_SELECTION__WANTED_LANGUAGES:
            guard let list = unsafe wire.languages?.pointee, unsafe list.n_languages > 0 else { return }
            guard unsafe list.n_languages <= Self.languageLimit else {
                throw .invalid("subtitles.languages", "has more than \(Self.languageLimit)")
            }
            let named = unsafe texts(list.languages, list.n_languages).filter { !$0.isEmpty }
            if !named.isEmpty { self = .languages(named) }
        default: return
        }
    }

    private static let languageLimit = 100

    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__SubtitleSelection>? {
        let wire = unsafe arena.message(Engine__V1__SubtitleSelection.self)
        switch self {
        case .automatic: return nil
        case .none, .tracks:
            let list = unsafe arena.message(Engine__V1__SubtitleTrackList.self)
            if case .tracks(let ids) = self {
                unsafe list.pointee.n_ids = ids.count
                unsafe list.pointee.ids = arena.array(ids) { UInt32(clamping: $0) }
            }
            unsafe wire.pointee.wanted_case = ENGINE__V1__SUBTITLE_SELECTION__WANTED_TRACKS
            unsafe wire.pointee.tracks = list
        case .languages(let languages):
            let list = unsafe arena.message(Engine__V1__LanguageList.self)
            unsafe list.pointee.n_languages = languages.count
            unsafe list.pointee.languages = arena.array(languages) { unsafe .some(arena.string($0)) }
            unsafe wire.pointee.wanted_case = ENGINE__V1__SUBTITLE_SELECTION__WANTED_LANGUAGES
            unsafe wire.pointee.languages = list
        }
        return unsafe wire
    }
}
