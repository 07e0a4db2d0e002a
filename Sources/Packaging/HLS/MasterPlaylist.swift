// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The master playlist of one source (RFC 8216 §4.3.4): one variant, and its audio as a group of renditions.
package struct MasterPlaylist: Hashable, Sendable {
    /// One audio track. The first that is marked default, else the first of all, is the default.
    package struct Rendition: Hashable, Sendable {
        package var track: Track
        package var uri: String
        /// What the player shows. When empty, the language or a number stands in; made unique when it is not.
        package var name: String
        package var isDefault: Bool

        package init(track: Track, uri: String, name: String, isDefault: Bool) {
            self.track = track
            self.uri = uri
            self.name = name
            self.isDefault = isDefault
        }
    }

    /// `nil` for a source without video: the default rendition is then the variant's own playlist.
    package var video: Track?
    package var videoURI = ""
    package var renditions: [Rendition] = []
    /// The peak, in bits per second, of video and the largest audio rendition together (§4.3.4.2).
    package var bandwidth: UInt64 = 0
    /// `nil` when it is not known.
    package var averageBandwidth: UInt64?

    /// Where a player should start (§4.3.5.2). `nil`: where players start by themselves.
    package var startOffset: MediaTime?

    package init() {}

    private static let audioGroup = "audio"

    package var bytes: [UInt8] {
        var text = TextWriter(capacity: 1024)
        text.line("#EXTM3U")
        text.line("#EXT-X-VERSION:7")
        text.line("#EXT-X-INDEPENDENT-SEGMENTS")
        if let startOffset {
            text.append("#EXT-X-START:TIME-OFFSET=")
            text.seconds(microseconds: startOffset.microseconds)
            text.line(",PRECISE=YES")
        }
        for line in renditionLines() { text.line(line) }
        if let uri = variantURI {
            text.line("#EXT-X-STREAM-INF:" + variantAttributes().joined(separator: ","))
            text.line(AttributeText.quotable(uri))
        }
        return text.bytes
    }

    private var defaultIndex: Int { renditions.firstIndex(where: \.isDefault) ?? 0 }

    private var variantURI: String? {
        if video != nil { return videoURI }
        return renditions.indices.contains(defaultIndex) ? renditions[defaultIndex].uri : nil
    }

    /// A lone audio rendition of a source without video is the variant itself and needs no group.
    private var hasAudioGroup: Bool { video != nil ? !renditions.isEmpty : renditions.count > 1 }

    private func variantAttributes() -> [String] {
        var attributes = ["BANDWIDTH=\(max(1, bandwidth))"]
        if let averageBandwidth { attributes.append("AVERAGE-BANDWIDTH=\(max(1, averageBandwidth))") }
        attributes.append("CODECS=\"\(codecs.joined(separator: ","))\"")
        if let properties = video?.video { attributes += Self.videoAttributes(properties) }
        if hasAudioGroup { attributes.append("AUDIO=\"\(Self.audioGroup)\"") }
        if video != nil { attributes.append("CLOSED-CAPTIONS=NONE") }
        return attributes
    }

    /// Every format that the variant and its renditions hold, each once.
    private var codecs: [String] {
        var codecs: [String] = []
        for string in [video?.codecString].compactMap(\.self) + renditions.map(\.track.codecString)
        where !codecs.contains(string) {
            codecs.append(string)
        }
        return codecs
    }

    /// RESOLUTION is the size at which the picture is to be shown, pixel shape and rotation applied: the "optimal
    /// pixel resolution at which to display all the video" of §4.3.4.2.
    private static func videoAttributes(_ video: VideoProperties) -> [String] {
        var attributes: [String] = []
        let size = DisplaySize(video)
        if size.width > 0, size.height > 0 { attributes.append("RESOLUTION=\(size.width)x\(size.height)") }
        if let thousandths = video.frameRate.flatMap(thousandths) {
            let decimals = String(thousandths % 1000)
            let zeros = String(repeating: "0", count: 3 - decimals.count)
            attributes.append("FRAME-RATE=\(thousandths / 1000).\(zeros)\(decimals)")
        }
        attributes.append("VIDEO-RANGE=\(VideoRange(video.color).rawValue)")
        return attributes
    }

    private static func thousandths(_ rate: Ratio) -> Int? {
        guard rate.value > 0, rate.value < 10_000 else { return nil }
        return Int((rate.value * 1000).rounded())
    }

    private func renditionLines() -> [String] {
        guard hasAudioGroup else { return [] }
        var names: Set<String> = []
        return renditions.indices.map { index in
            let rendition = renditions[index]
            let isDefault = index == defaultIndex
            var attributes = ["TYPE=AUDIO", "GROUP-ID=\"\(Self.audioGroup)\""]
            attributes.append("NAME=\"\(uniqueName(rendition, number: index + 1, taken: &names))\"")
            if let language = LanguageCode.tag(rendition.track.language) {
                attributes.append("LANGUAGE=\"\(language)\"")
            }
            attributes.append(isDefault ? "DEFAULT=YES" : "DEFAULT=NO")
            attributes.append("AUTOSELECT=YES")
            if let channels = rendition.track.audio?.channels, channels > 0 {
                attributes.append("CHANNELS=\"\(channels)\"")
            }
            attributes.append("URI=\"\(AttributeText.quotable(rendition.uri))\"")
            return "#EXT-X-MEDIA:" + attributes.joined(separator: ",")
        }
    }

    private func uniqueName(_ rendition: Rendition, number: Int, taken: inout Set<String>) -> String {
        let language = LanguageCode.tag(rendition.track.language)
        let wanted = AttributeText.quotable(rendition.name)
        let isBlank = wanted.allSatisfy { $0 == " " }
        let base = isBlank ? language ?? "Audio \(number)" : wanted
        var name = base
        var count = 2
        while !taken.insert(name).inserted {
            name = "\(base) (\(count))"
            count += 1
        }
        return name
    }
}

/// VIDEO-RANGE (RFC 8216bis §4.4.6.2), from the transfer characteristics of ITU-T H.273.
package enum VideoRange: String, Sendable {
    case sdr = "SDR"
    case pq = "PQ"
    case hlg = "HLG"

    package init(_ color: ColorDescription) {
        self =
            switch color.transfer {
            case 16: .pq
            case 18: .hlg
            default: .sdr
            }
    }
}
