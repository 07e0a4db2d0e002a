// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The route of a video to a player, and its signalling. Pure: the same video, profile and options give the same route.
package struct VideoRoute: Hashable, Sendable {
    package var route: Route
    package var entry: VideoEntry?
    package var dolbyVision = DolbyVisionDelivery.baseLayer
    /// CODECS.
    package var codecString = ""
    /// SUPPLEMENTAL-CODECS; empty for none.
    package var supplementalCodecs = ""
    package var format = VideoFormat.sdr

    /// - Parameters:
    ///   - track: as returned by `TrackSetup.resolve`.
    ///   - hasDolbyVision: whether Dolby Vision is requested at all.
    ///   - canConvert: whether the packets of a profile 7 stream can be converted to 8.1.
    package init(track: Track, profile: PlayerProfile, hasDolbyVision: Bool, canConvert: Bool) {
        let video = track.video ?? VideoProperties()
        format = video.baseFormat
        route = .none("")
        dolbyVision = Self.delivery(video, profile, isWanted: hasDolbyVision, canConvert: canConvert)
        let record = dolbyVision.record
        if let record { format = record.format }

        guard Self.hasBaseLayer(video) || record != nil else {
            let name = video.dolbyVision?.format.name ?? ""
            let why = hasDolbyVision ? "\(profile.label) does not support it" : "Dolby Vision is disabled"
            route = .software("the base layer of \(name) cannot be played alone, and \(why)")
            return
        }
        let candidates = Self.entries(track.codec, isDolbyVisionAlone: !Self.hasBaseLayer(video))
        guard let entry = candidates.first(where: { profile.formats.contains($0.rawValue) }) else {
            route = .software("\(profile.label) does not support \(candidates.first?.rawValue ?? track.codec.rawValue)")
            return
        }
        if let limit = Self.exceededLimit(video, entry, profile) {
            route = .software("\(profile.label) does not support \(limit) in \(entry.rawValue)")
            return
        }
        self.entry = entry
        codecString = Self.codecs(track.codecString, entry, record, isAlone: !Self.hasBaseLayer(video))
        if Self.hasBaseLayer(video), let record { supplementalCodecs = Self.supplemental(entry, record) ?? "" }
        route = .remux(Self.reason(video, dolbyVision, profile, isWanted: hasDolbyVision))
    }

    private static func delivery(
        _ video: VideoProperties,
        _ profile: PlayerProfile,
        isWanted: Bool,
        canConvert: Bool
    ) -> DolbyVisionDelivery {
        guard isWanted, var record = video.dolbyVision else { return .baseLayer }
        let isSevenfold = record.profile == 7
        if isSevenfold {
            record.profile = 8
            record.compatibility = 1
            record.hasEnhancementLayer = false
        }
        guard profile.dolbyVision.contains(record.name) else { return .baseLayer }
        if isSevenfold { return canConvert ? .converted(record) : .baseLayer }
        return .carried(record)
    }

    /// Whether the video without its Dolby Vision metadata is valid in another format.
    private static func hasBaseLayer(_ video: VideoProperties) -> Bool {
        switch video.dolbyVision?.profile {
        case 5: false
        case 10: video.dolbyVision?.compatibility != 0
        default: true
        }
    }

    /// The sample entries that can hold the codec, the usual one first.
    private static func entries(_ codec: CodecID, isDolbyVisionAlone: Bool) -> [VideoEntry] {
        switch codec {
        case .h264: [.avc1, .avc3]
        case .hevc: isDolbyVisionAlone ? [.dvh1] : [.hvc1, .hev1]
        case .av1: isDolbyVisionAlone ? [.dav1] : [.av01]
        case .vp9: [.vp09]
        default: []
        }
    }

    /// Whether the player accepts video in a codec other than that of a sample entry.
    package static func accepts(othersThan entry: VideoEntry?, _ profile: PlayerProfile) -> Bool {
        [CodecID.h264, .hevc, .av1, .vp9].contains { codec in
            let entries = entries(codec, isDolbyVisionAlone: false) + entries(codec, isDolbyVisionAlone: true)
            return !entries.contains { $0 == entry } && entries.contains { profile.formats.contains($0.rawValue) }
        }
    }

    private static func exceededLimit(
        _ video: VideoProperties,
        _ entry: VideoEntry,
        _ profile: PlayerProfile
    ) -> String? {
        if video.bitDepth > profile.bitDepths[entry.rawValue] ?? 10 { return "\(video.bitDepth) bits per sample" }
        if video.chromaFormat > 1, !profile.takesFullChroma { return video.chromaFormat == 2 ? "4:2:2" : "4:4:4" }
        if video.isInterlaced, !profile.takesInterlaced { return "interlaced video" }
        return nil
    }

    /// Dolby Vision Streams within the HTTP Live Streaming Format §3: the Dolby Vision string alone if there is no base
    /// layer.
    private static func codecs(
        _ base: String,
        _ entry: VideoEntry,
        _ record: DolbyVisionConfiguration?,
        isAlone: Bool
    ) -> String {
        if isAlone, let record, let code = entry.dolbyVisionCode {
            return "\(code).\(CodecString.decimal(record.profile)).\(CodecString.decimal(record.level))"
        }
        // The string starts with the sample entry.
        let rest = base.drop { $0 != "." }
        return entry.rawValue + rest
    }

    private static func supplemental(_ entry: VideoEntry, _ record: DolbyVisionConfiguration) -> String? {
        guard let code = entry.dolbyVisionCode, let brand = record.compatibilityBrand else { return nil }
        return "\(code).\(CodecString.decimal(record.profile)).\(CodecString.decimal(record.level))/\(brand)"
    }

    private static func reason(
        _ video: VideoProperties,
        _ outcome: DolbyVisionDelivery,
        _ profile: PlayerProfile,
        isWanted: Bool
    ) -> String {
        let remuxed = "remuxed into fMP4"
        guard let source = video.dolbyVision else { return remuxed }
        switch outcome {
        case .carried: return remuxed
        case .converted(let record): return "Dolby Vision 7 rewritten to \(record.name)"
        case .baseLayer:
            let shown = delivery(video, profile, isWanted: true, canConvert: true).record
            let why =
                if !isWanted {
                    "it is disabled"
                } else if shown == nil {
                    "\(profile.label) does not support it"
                } else {
                    "its metadata is missing or damaged"
                }
            return "\(remuxed), without \(source.format.name): \(why)"
        }
    }
}

extension TrackSetup {
    /// The setup with the route's sample entry, codec strings and Dolby Vision record in its track.
    package func routed(_ route: VideoRoute) -> TrackSetup {
        var setup = self
        setup.track.videoEntry = route.entry
        setup.track.codecString = route.codecString
        setup.track.supplementalCodecs = route.supplementalCodecs
        setup.track.dolbyVision = route.dolbyVision.record
        setup.leaveOutSecondLayer(for: route.dolbyVision)
        return setup
    }
}
