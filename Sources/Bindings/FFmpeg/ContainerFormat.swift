// SPDX-License-Identifier: Apache-2.0

/// The container of a source, with the properties that matter for planning and reading it.
package struct ContainerFormat: Hashable, Sendable {
    /// libavformat's short name, such as `matroska,webm`.
    package let name: String
    package let isMatroska: Bool
    package let isMP4: Bool
    package let isFLV: Bool
    /// Whether the source is a single elementary stream without timestamps: a parser splits it into frames, and times
    /// are counted in frames.
    package let isElementary: Bool
    /// Whether reading may start at the byte position of any packet.
    package let canStartAnywhere: Bool

    init(name: String) {
        self.name = name
        // These properties are read for every keyframe, so the name is split only once.
        let names = name.split(separator: ",").map(String.init)
        isMatroska = names.contains("matroska")
        isMP4 = names.contains("mp4")
        isFLV = names.contains("flv")
        isElementary = names.contains(where: Self.elementary.contains)
        canStartAnywhere = names.contains(where: Self.seekableAnywhere.contains)
    }

    private static let elementary: Set = [
        "h264", "hevc", "m4v", "mpegvideo", "vc1", "obu", "aac", "ac3", "eac3", "mp3", "flac", "dts", "truehd", "mlp",
        "loas",
    ]
    private static let seekableAnywhere: Set = [
        "mpegts", "flv", "hls", "h264", "hevc", "aac", "ac3", "eac3", "mp3", "obu", "m4v", "vc1", "mpeg", "dts",
        "truehd",
    ]

    /// A list of segments, each of which is a container of its own.
    package static let segmentList = ContainerFormat(name: "hls")

    package var isSegmentList: Bool { self == .segmentList }

    package var isAVI: Bool { name == "avi" }
    package var isBareH264: Bool { name == "h264" }
    package var isOgg: Bool { name == "ogg" }
    package var isMPEGTS: Bool { name == "mpegts" }
    /// Program streams, including those of DVDs.
    package var isMPEGPS: Bool { name == "mpeg" }

    /// Whether the header alone describes every stream, so that no packet has to be read to list them.
    package var describesItself: Bool { isMatroska || isMP4 }

    /// Whether packets are whole frames with presentation times, so that no parser is needed to read them.
    package var hasFramedPackets: Bool { isMatroska || isMP4 || isFLV }

    /// The demuxers allowed for sources: those for files that contain media. Excluded are devices, single images, image
    /// sequences, scripts, and formats that refer to other files or hosts.
    static let whitelist = [
        "matroska", "webm", "mov", "mp4", "m4a", "3gp", "3g2", "mj2", "mpegts", "avi", "ogg", "flv", "live_flv", "kux",
        "h264", "hevc", "m4v", "mpegvideo", "mpeg", "vc1", "ivf", "obu", "av1", "aac", "ac3", "eac3", "dts", "dtshd",
        "truehd", "mlp", "flac", "mp3", "wav", "w64", "aiff", "caf", "asf", "loas", "tta", "wv", "ape", "amr", "au",
        "dsf", "iff", "voc", "mpc", "mpc8", "tak", "adx", "rm", "nut", "gxf", "mxf", "dv", "pva", "nsv", "wtv", "gif",
        "apng", "yuv4mpegpipe",
    ].joined(separator: ",")
}
