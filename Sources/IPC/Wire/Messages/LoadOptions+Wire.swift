// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension LoadOptions {
    /// Decodes the field `options` of a request.
    init(wire: Proto.LoadOptions) throws(EngineError) {
        self.init()
        do throws(EngineError) { try take(wire) } catch { throw error.below("options") }
    }

    private mutating func take(_ wire: Proto.LoadOptions) throws(EngineError) {
        let target = wire.segmentTargetMicroseconds
        if target < 0 { throw .invalid("segment_target_us", "is below 0") }
        if target > 0 { requestedSegmentTarget = MediaTime(microseconds: target) }
        isAutoplay = wire.autoplay
        let name = wire.profile
        if let custom = wire.customProfile {
            guard name.isEmpty else {
                throw .invalid("profile", "and custom_profile cannot both be set")
            }
            profile = try PlayerProfile(wire: custom)
        } else if !name.isEmpty {
            profile = try .named(name)
        }
        bridgeMode = try BridgeMode(wire: wire.bridgeMode)
        videoBridge = try VideoBridge(wire: wire.videoBridge)
        if !wire.videoBridgeCodec.isEmpty { videoBridgeCodec = try .videoBridge(named: wire.videoBridgeCodec) }
        try takeBridgeLines(wire.videoBridgeLines)
        usesHardwareEncoder = wire.videoBridgeHardware
        try takeLadder(wire.ladder)
        hasDolbyVision = !wire.withoutDolbyVision
        program = try ProgramSelection(wire: wire.program)
        audio = try AudioSelection(optional: wire.audio)
        subtitles = try SubtitleSelection(optional: wire.subtitles)
        burnedSubtitles = wire.burn.map { SubtitleChoice(wire: $0) }
        drawsSubtitles = wire.drawSubtitles
        hasLowLatency = wire.lowLatency
        if let treatment = wire.sound { sound = try SoundTreatment(wire: treatment) }
        if let selection = wire.variants { variants = try VariantSelection(wire: selection) }
        findsSubtitles = try Bool?(wire: wire.findSubtitles)
        preservesScripts = wire.preserveASS
        deinterlacing = try Deinterlacing(wire: wire.deinterlacing)
        switch wire.resuming {
        case .unspecified: resumes = nil
        case .on: resumes = true
        case .off: resumes = false
        default: throw .invalid("resuming", "\(wire.resuming.rawValue) is not a Resuming")
        }
        title = wire.title == 0 ? nil : Int(wire.title)
        angle = max(1, Int(wire.angle))
        try takeDVR(wire)
        chase = try ChaseMode?(wire: wire.chase)
        try takePlayer(wire)
    }

    var wire: Proto.LoadOptions {
        var wire = Proto.LoadOptions()
        wire.segmentTargetMicroseconds = requestedSegmentTarget?.microseconds ?? 0
        wire.autoplay = isAutoplay
        if PlayerProfile.builtIn.contains(profile) {
            wire.profile = profile.name
        } else {
            wire.customProfile = profile.wire
        }
        wire.bridgeMode = bridgeMode.wire
        wire.videoBridge = videoBridge.wire
        wire.videoBridgeCodec = videoBridgeCodec?.rawValue ?? ""
        wire.videoBridgeLines = UInt32(clamping: videoBridgeLines ?? 0)
        wire.videoBridgeHardware = usesHardwareEncoder
        wire.ladder = ladder.map { UInt32(clamping: $0) }
        wire.withoutDolbyVision = !hasDolbyVision
        wire.program = program.wire
        wire.audio = audio.wire
        wire.subtitles = subtitles.wire
        wire.burn = burnedSubtitles?.wire
        wire.drawSubtitles = drawsSubtitles
        wire.lowLatency = hasLowLatency
        if !sound.isIdentity { wire.sound = sound.wire }
        if variants != VariantSelection() { wire.variants = variants.wire }
        wire.findSubtitles = findsSubtitles.wire
        wire.preserveASS = preservesScripts
        wire.deinterlacing = deinterlacing.wire
        wire.resuming = resumes.map { $0 ? .on : .off } ?? .unspecified
        wire.title = UInt32(clamping: title ?? 0)
        wire.angle = UInt32(clamping: angle)
        wire.dvrWindowMicroseconds = dvrWindow?.microseconds ?? 0
        wire.dvrBytes = dvrByteCount ?? 0
        wire.chase = chase.wire
        writePlayer(to: &wire)
        return wire
    }
}

extension LoadOptions {
    private mutating func takeBridgeLines(_ wire: UInt32) throws(EngineError) {
        guard wire != 0 else { return }
        guard Self.ladderLines.contains(Int(wire)) else {
            throw .invalid("video_bridge_lines", "must be from 48 to 4320 lines")
        }
        videoBridgeLines = Int(wire)
    }

    private mutating func takeLadder(_ wire: [UInt32]) throws(EngineError) {
        guard wire.count <= Self.ladderLimit else {
            throw .invalid("ladder", "has more than \(Self.ladderLimit) sizes")
        }
        guard wire.allSatisfy({ Self.ladderLines.contains(Int($0)) }) else {
            throw .invalid("ladder", "must contain sizes from 48 to 4320 lines")
        }
        ladder = Set(wire.map(Int.init)).sorted(by: >)
    }

    private mutating func takeDVR(_ wire: Proto.LoadOptions) throws(EngineError) {
        let window = MediaTime(microseconds: wire.dvrWindowMicroseconds)
        if window != .zero {
            guard Self.dvrWindows.contains(window) else {
                throw .invalid("dvr_window_us", "must be 10000000 … 86400000000")
            }
            dvrWindow = window
        }
        guard wire.dvrBytes != 0 else { return }
        guard Self.dvrByteCounts.contains(wire.dvrBytes) else {
            throw .invalid("dvr_bytes", "must be 16777216 or more")
        }
        dvrByteCount = wire.dvrBytes
    }
}

// The player settings of one load: phase timeouts and the range of rates.
extension LoadOptions {
    private mutating func takePlayer(_ wire: Proto.LoadOptions) throws(EngineError) {
        guard wire.timeouts.count <= Phase.Name.allCases.count else {
            throw .invalid("timeouts", "has more entries than there are phases")
        }
        for entry in wire.timeouts {
            let (phase, timeout) = try Self.timeout(entry)
            timeouts[phase] = timeout
        }
        guard let range = wire.rateRange else { return }
        let (lowest, highest) = (range.min, range.max)
        guard lowest.isFinite, highest.isFinite, lowest <= highest, PlayerSettings.isUsable(lowest...highest) else {
            throw .invalid("rate_range", "must satisfy 0 ≤ min ≤ 1 ≤ max ≤ 16")
        }
        rateRange = lowest...highest
    }

    private static func timeout(_ wire: Proto.PhaseTimeout) throws(EngineError) -> (Phase.Name, Duration) {
        guard let phase = Phase.Name(wire: wire.phase), phase.canTimeOut else {
            throw .invalid("timeouts.phase", "is not a phase with a time-out")
        }
        let timeout = Duration.microseconds(wire.timeoutMicroseconds)
        guard timeout >= .zero, timeout <= PlayerSettings.longestTimeout else {
            throw .invalid("timeouts.timeout_us", "must be from 0 to one day")
        }
        return (phase, timeout)
    }

    private func writePlayer(to wire: inout Proto.LoadOptions) {
        wire.timeouts = timeouts.sorted { $0.key.rawValue < $1.key.rawValue }.map { phase, timeout in
            Proto.PhaseTimeout(phase: phase.wire, timeoutMicroseconds: Int64(timeout / .microseconds(1)))
        }
        wire.rateRange = rateRange.map { Proto.RateRange(min: $0.lowerBound, max: $0.upperBound) }
    }
}

extension BridgeMode {
    var wire: Proto.BridgeMode {
        switch self {
        case .surround: .surround
        case .lossless: .lossless
        }
    }

    init(wire: Proto.BridgeMode) throws(EngineError) {
        switch wire {
        case .unspecified, .surround:
            self = .surround
        case .lossless: self = .lossless
        default: throw .invalid("bridge_mode", "\(wire.rawValue) is not a BridgeMode")
        }
    }
}

extension VideoBridge {
    var wire: Proto.VideoBridge {
        switch self {
        case .never: .never
        case .whenNeeded: .whenNeeded
        case .always: .always
        }
    }

    init(wire: Proto.VideoBridge) throws(EngineError) {
        switch wire {
        case .unspecified, .never: self = .never
        case .whenNeeded: self = .whenNeeded
        case .always: self = .always
        default: throw .invalid("video_bridge", "\(wire.rawValue) is not a VideoBridge")
        }
    }
}

extension AudioSelection {
    /// An absent or empty selection means `automatic`.
    init(optional wire: Proto.AudioSelection?) throws(EngineError) {
        self = .automatic
        switch wire?.wanted {
        case .streamIndex(let index): self = .stream(Int(index))
        case .languages(let list):
            guard list.languages.count <= Self.languageLimit else {
                throw .invalid("audio.languages", "has more than \(Self.languageLimit)")
            }
            // Empty language names are ignored.
            let named = list.languages.filter { !$0.isEmpty }
            if !named.isEmpty { self = .languages(named) }
        case nil: return
        }
    }

    private static let languageLimit = 100

    var wire: Proto.AudioSelection? {
        switch self {
        case .automatic: nil
        case .stream(let index): Proto.AudioSelection(wanted: .streamIndex(UInt32(clamping: index)))
        case .languages(let languages):
            Proto.AudioSelection(wanted: .languages(Proto.LanguageList(languages: languages)))
        }
    }
}

extension SubtitleChoice {
    fileprivate init(wire: Proto.BurnedSubtitles) {
        switch wire.choice {
        case .track(let id): self = .id(Int(id))
        case .number(let number): self = .number(Int(number))
        case .language(let language): self = .language(language)
        case nil: self = .automatic
        }
    }

    fileprivate var wire: Proto.BurnedSubtitles {
        switch self {
        case .automatic: Proto.BurnedSubtitles()
        case .id(let id): Proto.BurnedSubtitles(choice: .track(UInt32(clamping: id)))
        case .number(let number): Proto.BurnedSubtitles(choice: .number(UInt32(clamping: number)))
        case .language(let language): Proto.BurnedSubtitles(choice: .language(language))
        }
    }
}

extension VariantSelection {
    init(wire: Proto.VariantSelection) throws(EngineError) {
        self.init()
        switch wire.wanted {
        case .index(let index): choice = .index(Int(index))
        case .bandwidth(let bandwidth): choice = .bandwidth(bandwidth)
        case .name(let name):
            guard name.utf8.count <= Self.nameLimit else {
                throw .invalid("variants.name", "is longer than \(Self.nameLimit) bytes")
            }
            choice = .name(name)
        case nil: break
        }
        guard wire.maxBandwidth >= 0 else { throw .invalid("variants.max_bandwidth", "is below 0") }
        maxHeight = wire.maxHeight > 0 ? Int(wire.maxHeight) : nil
        maxBandwidth = wire.maxBandwidth > 0 ? wire.maxBandwidth : nil
    }

    var wire: Proto.VariantSelection {
        var wire = Proto.VariantSelection()
        switch choice {
        case .automatic: break
        case .index(let index): wire.wanted = .index(UInt32(clamping: index))
        case .bandwidth(let bandwidth): wire.wanted = .bandwidth(bandwidth)
        case .name(let name): wire.wanted = .name(name)
        }
        wire.maxHeight = UInt32(clamping: maxHeight ?? 0)
        wire.maxBandwidth = maxBandwidth ?? 0
        return wire
    }
}

extension Deinterlacing {
    init(wire: Proto.Deinterlacing) throws(EngineError) {
        switch wire {
        case .unspecified, .frame:
            self = .frame
        case .field: self = .field
        case .off: self = .off
        default: throw .invalid("deinterlacing", "\(wire.rawValue) is not a Deinterlacing")
        }
    }

    var wire: Proto.Deinterlacing {
        switch self {
        case .frame: .frame
        case .field: .field
        case .off: .off
        }
    }
}

extension ChaseMode? {
    fileprivate init(wire: Proto.Chase) throws(EngineError) {
        switch wire {
        case .unspecified: self = nil
        case .off: self = .off
        case .skip: self = .skip
        case .speed: self = .speed
        case .precise: self = .precise
        default: throw .invalid("chase", "\(wire.rawValue) is not a Chase")
        }
    }

    fileprivate var wire: Proto.Chase {
        switch self {
        case nil: .unspecified
        case .off?: .off
        case .skip?: .skip
        case .speed?: .speed
        case .precise?: .precise
        }
    }
}

extension Bool? {
    fileprivate init(wire: Proto.FindSubtitles) throws(EngineError) {
        switch wire {
        case .unspecified: self = nil
        case .on: self = true
        case .off: self = false
        default: throw .invalid("find_subtitles", "\(wire.rawValue) is not a FindSubtitles")
        }
    }

    fileprivate var wire: Proto.FindSubtitles { map { $0 ? .on : .off } ?? .unspecified }
}
