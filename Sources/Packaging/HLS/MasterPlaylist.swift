// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The master playlist of one source (RFC 8216 §4.3.4): its video, with audio and subtitle renditions.
package struct MasterPlaylist: Hashable, Sendable {
    /// One audio track. The default is the first track marked as default, otherwise the first track.
    package struct Rendition: Hashable, Sendable {
        package var track: Track
        package var uri: String
        /// The name that players show. If empty, the English language name or a number is used. Duplicates are made
        /// unique.
        package var name: String
        package var isDefault: Bool
        /// Uniform Type Identifiers for CHARACTERISTICS.
        package var characteristics: [String]
        /// The CODECS elements of versions of the track in other codecs.
        package var laterCodecs: [String]

        package init(
            track: Track,
            uri: String,
            name: String,
            isDefault: Bool,
            characteristics: [String] = [],
            laterCodecs: [String] = []
        ) {
            self.laterCodecs = laterCodecs
            self.track = track
            self.uri = uri
            self.name = name
            self.isDefault = isDefault
            self.characteristics = characteristics
        }
    }

    /// Another form of the same presentation, with the same tracks.
    package struct Variant: Hashable, Sendable {
        package var uri: String
        /// Unique among the variants; part of the name of its audio group.
        package var number: Int
        /// The peak bit rate with audio, in bits per second.
        package var bandwidth: UInt64
        /// The CODECS elements of its video. Empty: those of the first variant.
        package var codecs: [String] = []
        package var supplementalCodecs: [String] = []
        /// In pixels. 0 if unknown.
        package var width = 0
        package var height = 0
        /// In frames per second. 0 if unknown.
        package var frameRate = 0.0
        /// The VIDEO-RANGE. Empty: that of the first variant.
        package var videoRange = ""
        /// The prefix of the URIs of its own audio renditions. `nil`: it uses the audio group of the first variant.
        package var audioPrefix: String?

        package init(uri: String, number: Int, bandwidth: UInt64) {
            self.uri = uri
            self.number = number
            self.bandwidth = bandwidth
        }
    }

    /// `nil` for a source without video. The variant then uses the default rendition's playlist.
    package var video: Track?
    package var videoURI = ""
    /// The CODECS elements of versions of the video in other codecs.
    package var laterVideoCodecs: [String] = []
    /// Further variants, in playlist order.
    package var variants: [Variant] = []
    package var renditions: [Rendition] = []
    package var subtitles: [SubtitleRendition] = []
    /// The I-frame playlist (§4.3.4.3). `nil`: there is none.
    package var keyframesURI: String?
    /// The peak bit rate, in bits per second, of the video plus the largest audio rendition (§4.3.4.2).
    package var bandwidth: UInt64 = 0
    /// The peak bit rate of the I-frame playlist. `nil`: the same as `bandwidth`.
    package var keyframesBandwidth: UInt64?
    /// `nil` if unknown.
    package var averageBandwidth: UInt64?

    /// The position where players should start (§4.3.5.2). `nil`: the player's default.
    package var startOffset: MediaTime?

    /// Whether each segment decodes completely without those before it (§4.3.5.1).
    package var isIndependent = true

    package init() {}

    package var bytes: [UInt8] {
        var text = TextWriter(capacity: 1024)
        text.line("#EXTM3U")
        text.line("#EXT-X-VERSION:7")
        if isIndependent { text.line("#EXT-X-INDEPENDENT-SEGMENTS") }
        if let startOffset {
            text.append("#EXT-X-START:TIME-OFFSET=")
            text.seconds(microseconds: startOffset.microseconds)
            text.line(",PRECISE=YES")
        }
        if hasAudioGroup {
            for line in renditionLines(group: Self.audioGroup, prefix: "") { text.line(line) }
            for variant in variants {
                guard let prefix = variant.audioPrefix else { continue }
                for line in renditionLines(group: Self.audioGroup(of: variant), prefix: prefix) { text.line(line) }
            }
        }
        for line in SubtitleRendition.lines(subtitles) { text.line(line) }
        for line in captionLines { text.line(line) }
        if let uri = video != nil ? videoURI : preferred.map({ renditions[$0].uri }) {
            text.line("#EXT-X-STREAM-INF:" + variantAttributes.joined(separator: ","))
            text.line(AttributeText.quotable(uri))
        }
        for variant in variants {
            text.line("#EXT-X-STREAM-INF:" + attributes(of: variant).joined(separator: ","))
            text.line(AttributeText.quotable(variant.uri))
        }
        if let line = keyframesLine { text.line(line) }
        return text.bytes
    }

    /// The audio group of all variants without audio of their own. Groups of one type need the same members
    /// (§4.3.4.1.1), and many players do not look for a track in another variant's group.
    private static let audioGroup = "audio"

    private static func audioGroup(of variant: Variant) -> String { "\(audioGroup)-\(variant.number)" }

    /// The index of the default rendition.
    private var preferred: Int? { renditions.firstIndex(where: \.isDefault) ?? renditions.indices.first }

    /// Indices of renditions, the default first, because players that ignore DEFAULT, such as FFmpeg's, take the first.
    private var listed: [Int] { (preferred.map { [$0] } ?? []) + renditions.indices.filter { $0 != preferred } }

    /// A lone audio rendition of a source without video is the variant itself and needs no group.
    private var hasAudioGroup: Bool { video != nil ? !renditions.isEmpty : renditions.count > 1 }

    private var variantAttributes: [String] {
        var attributes = ["BANDWIDTH=\(max(1, bandwidth))"]
        if let averageBandwidth { attributes.append("AVERAGE-BANDWIDTH=\(max(1, averageBandwidth))") }
        attributes.append("CODECS=\"\(codecs.joined(separator: ","))\"")
        if let supplemental = video?.supplementalCodecs, !supplemental.isEmpty {
            attributes.append("SUPPLEMENTAL-CODECS=\"\(supplemental)\"")
        }
        if let properties = video?.video { attributes += Self.videoAttributes(properties) }
        return attributes + groupAttributes(audio: Self.audioGroup)
    }

    private func groupAttributes(audio: String) -> [String] {
        var attributes: [String] = []
        if hasAudioGroup { attributes.append("AUDIO=\"\(audio)\"") }
        if !subtitles.isEmpty { attributes.append("SUBTITLES=\"\(SubtitleRendition.group)\"") }
        if video != nil { attributes.append("CLOSED-CAPTIONS=" + (captionLines.isEmpty ? "NONE" : "\"captions\"")) }
        return attributes
    }

    private func attributes(of variant: Variant) -> [String] {
        let own = variant.codecs.isEmpty ? [video?.codecString].compactMap(\.self) : variant.codecs
        var attributes = ["BANDWIDTH=\(max(1, variant.bandwidth))"]
        attributes.append("CODECS=\"\(AttributeText.quotable(codecs(with: own).joined(separator: ",")))\"")
        if !variant.supplementalCodecs.isEmpty {
            let supplemental = AttributeText.quotable(variant.supplementalCodecs.joined(separator: ","))
            attributes.append("SUPPLEMENTAL-CODECS=\"\(supplemental)\"")
        }
        if variant.width > 0, variant.height > 0 { attributes.append("RESOLUTION=\(variant.width)x\(variant.height)") }
        if let rate = Self.frameRate(variant.frameRate) { attributes.append(rate) }
        if let range = VideoRange(rawValue: variant.videoRange) ?? video?.video.map({ VideoRange($0.color) }) {
            attributes.append("VIDEO-RANGE=\(range.rawValue)")
        }
        return attributes
            + groupAttributes(audio: variant.audioPrefix == nil ? Self.audioGroup : Self.audioGroup(of: variant))
    }

    private var codecs: [String] { codecs(with: [video?.codecString].compactMap(\.self) + laterVideoCodecs) }

    /// Every format in a variant and its renditions, without duplicates.
    private func codecs(with video: [String]) -> [String] {
        var codecs: [String] = []
        let audio = renditions.map(\.track.codecString) + renditions.flatMap(\.laterCodecs)
        for string in video + audio where !codecs.contains(string) {
            codecs.append(string)
        }
        return codecs
    }

    /// An I-frame playlist has neither audio nor a frame rate (§4.3.4.3).
    private var keyframesLine: String? {
        guard let keyframesURI, let video else { return nil }
        let codecs = ([video.codecString] + laterVideoCodecs).joined(separator: ",")
        var attributes = ["BANDWIDTH=\(max(1, keyframesBandwidth ?? bandwidth))", "CODECS=\"\(codecs)\""]
        if !video.supplementalCodecs.isEmpty {
            attributes.append("SUPPLEMENTAL-CODECS=\"\(video.supplementalCodecs)\"")
        }
        if let properties = video.video {
            attributes += Self.videoAttributes(properties).filter { !$0.hasPrefix("FRAME-RATE") }
        }
        attributes.append("URI=\"\(AttributeText.quotable(keyframesURI))\"")
        return "#EXT-X-I-FRAME-STREAM-INF:" + attributes.joined(separator: ",")
    }

    /// RESOLUTION is the display size, with pixel aspect ratio and rotation applied: the "optimal pixel resolution at
    /// which to display all the video" of §4.3.4.2.
    private static func videoAttributes(_ video: VideoProperties) -> [String] {
        var attributes: [String] = []
        let size = DisplaySize(video)
        if size.width > 0, size.height > 0 { attributes.append("RESOLUTION=\(size.width)x\(size.height)") }
        if let rate = frameRate(video.frameRate?.value ?? 0) { attributes.append(rate) }
        attributes.append("VIDEO-RANGE=\(VideoRange(video.color).rawValue)")
        return attributes
    }

    /// Captions embedded in the video (§4.3.4.1): one rendition each, without a playlist.
    private var captionLines: [String] {
        (video?.video?.captionChannels ?? []).enumerated().map { position, channel in
            let isFirst = position == 0 ? "YES" : "NO"
            return "#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID=\"captions\",NAME=\"\(channel)\",DEFAULT=NO,"
                + "AUTOSELECT=\(isFirst),INSTREAM-ID=\"\(channel)\""
        }
    }

    /// `nil` for a rate that is unknown or absurd.
    private static func frameRate(_ rate: Double) -> String? {
        guard rate > 0, rate < 10_000 else { return nil }
        let thousandths = Int((rate * 1000).rounded())
        let decimals = String(thousandths % 1000)
        let zeros = String(repeating: "0", count: 3 - decimals.count)
        return "FRAME-RATE=\(thousandths / 1000).\(zeros)\(decimals)"
    }

    /// The EXT-X-MEDIA lines of one audio group.
    ///
    /// - Parameter prefix: prepended to each rendition's URI.
    private func renditionLines(group: String, prefix: String) -> [String] {
        var names = UniqueNames()
        return listed.map { renditionLine($0, group, prefix, taken: &names) }
    }

    private func renditionLine(
        _ index: Int,
        _ group: String,
        _ prefix: String,
        taken names: inout UniqueNames
    ) -> String {
        let rendition = renditions[index]
        var attributes = ["TYPE=AUDIO", "GROUP-ID=\"\(group)\""]
        let name = names.take(rendition.name, language: rendition.track.language, otherwise: "Audio \(index + 1)")
        attributes.append("NAME=\"\(name)\"")
        if let language = LanguageCode.tag(rendition.track.language) {
            attributes.append("LANGUAGE=\"\(language)\"")
        }
        attributes.append(index == preferred ? "DEFAULT=YES" : "DEFAULT=NO")
        attributes.append("AUTOSELECT=YES")
        if !rendition.characteristics.isEmpty {
            attributes.append("CHARACTERISTICS=\"\(rendition.characteristics.joined(separator: ","))\"")
        }
        if let channels = rendition.track.audio.flatMap(Channels.text) { attributes.append("CHANNELS=\"\(channels)\"") }
        attributes.append("URI=\"\(AttributeText.quotable(prefix + rendition.uri))\"")
        return "#EXT-X-MEDIA:" + attributes.joined(separator: ",")
    }
}
