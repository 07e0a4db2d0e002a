// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
internal import EngineModel

extension LoadOptions {
    /// Decodes the field `options` of a request.
    init(wire: Engine__V1__LoadOptions) throws(EngineError) {
        self.init()
        do throws(EngineError) { try unsafe take(wire) } catch { throw error.below("options") }
    }

    private mutating func take(_ wire: Engine__V1__LoadOptions) throws(EngineError) {
        let target = unsafe wire.segment_target_us
        if target < 0 { throw .invalid("segment_target_us", "is below 0") }
        if target > 0 { segmentTarget = MediaTime(microseconds: target) }
        isAutoplay = unsafe wire.autoplay != 0
        let name = unsafe text(wire.profile)
        if let custom = unsafe wire.custom_profile {
            guard name.isEmpty else {
                throw .invalid("profile", "and custom_profile exclude each other")
            }
            profile = try unsafe PlayerProfile(wire: custom.pointee)
        } else if !name.isEmpty {
            profile = try .named(name)
        }
        bridgeMode = try unsafe BridgeMode(wire: wire.bridge_mode)
        hasDolbyVision = unsafe wire.without_dolby_vision == 0
        audio = try unsafe AudioSelection(optional: wire.audio)
        subtitles = try unsafe SubtitleSelection(optional: wire.subtitles)
        preservesScripts = unsafe wire.preserve_ass != 0
        deinterlacing = try unsafe Deinterlacing(wire: wire.deinterlacing)
        try unsafe takePlayer(wire)
    }

    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__LoadOptions> {
        let wire = unsafe arena.message(Engine__V1__LoadOptions.self)
        unsafe wire.pointee.segment_target_us = segmentTarget.microseconds
        unsafe wire.pointee.autoplay = isAutoplay ? 1 : 0
        if PlayerProfile.builtIn.contains(profile) {
            unsafe wire.pointee.profile = arena.string(profile.name)
        } else {
            unsafe wire.pointee.custom_profile = profile.wire(in: arena)
        }
        unsafe wire.pointee.bridge_mode = bridgeMode.wire
        unsafe wire.pointee.without_dolby_vision = hasDolbyVision ? 0 : 1
        unsafe wire.pointee.audio = audio.wire(in: arena)
        unsafe wire.pointee.subtitles = subtitles.wire(in: arena)
        unsafe wire.pointee.preserve_ass = preservesScripts ? 1 : 0
        unsafe wire.pointee.deinterlacing = deinterlacing.wire
        unsafe wirePlayer(wire, in: arena)
        return unsafe wire
    }
}

extension BridgeMode {
    var wire: Engine__V1__BridgeMode {
        switch self {
        case .surround: ENGINE__V1__BRIDGE_MODE__BRIDGE_MODE_SURROUND
        case .lossless: ENGINE__V1__BRIDGE_MODE__BRIDGE_MODE_LOSSLESS
        }
    }

    init(wire: Engine__V1__BridgeMode) throws(EngineError) {
        switch wire {
        case ENGINE__V1__BRIDGE_MODE__BRIDGE_MODE_UNSPECIFIED, ENGINE__V1__BRIDGE_MODE__BRIDGE_MODE_SURROUND:
            self = .surround
        case ENGINE__V1__BRIDGE_MODE__BRIDGE_MODE_LOSSLESS: self = .lossless
        default: throw .invalid("bridge_mode", "\(wire.rawValue) is not a BridgeMode")
        }
    }
}

extension AudioSelection {
    /// An absent or empty selection means `automatic`.
    init(optional wire: UnsafeMutablePointer<Engine__V1__AudioSelection>?) throws(EngineError) {
        self = .automatic
        guard let wire = unsafe wire?.pointee else { return }
        switch unsafe wire.wanted_case {
        case ENGINE__V1__AUDIO_SELECTION__WANTED_STREAM_INDEX: self = .stream(Int(unsafe wire.stream_index))
        case ENGINE__V1__AUDIO_SELECTION__WANTED_LANGUAGES:
            guard let list = unsafe wire.languages?.pointee, unsafe list.n_languages > 0 else { return }
            let languages = unsafe texts(list.languages, list.n_languages)
            guard languages.count <= Self.languageLimit else {
                throw .invalid("audio.languages", "has more than \(Self.languageLimit)")
            }
            // Empty language names are ignored.
            let named = languages.filter { !$0.isEmpty }
            if !named.isEmpty { self = .languages(named) }
        default: return
        }
    }

    private static let languageLimit = 100

    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__AudioSelection>? {
        let wire = unsafe arena.message(Engine__V1__AudioSelection.self)
        switch self {
        case .automatic: return nil
        case .stream(let index):
            unsafe wire.pointee.wanted_case = ENGINE__V1__AUDIO_SELECTION__WANTED_STREAM_INDEX
            unsafe wire.pointee.stream_index = UInt32(clamping: index)
        case .languages(let languages):
            let list = unsafe arena.message(Engine__V1__LanguageList.self)
            unsafe list.pointee.n_languages = languages.count
            unsafe list.pointee.languages = arena.array(languages) { unsafe .some(arena.string($0)) }
            unsafe wire.pointee.wanted_case = ENGINE__V1__AUDIO_SELECTION__WANTED_LANGUAGES
            unsafe wire.pointee.languages = list
        }
        return unsafe wire
    }
}
