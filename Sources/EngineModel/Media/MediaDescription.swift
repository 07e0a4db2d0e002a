// SPDX-License-Identifier: Apache-2.0

/// What a source contains. Pure description: nothing here decides how it is played.
package struct MediaDescription: Hashable, Sendable {
    package var source = ""
    /// libavformat's short name, such as `matroska,webm`.
    package var container = ""
    package var containerName = ""
    package var duration: MediaTime?
    /// Where the source's own clock starts, on that clock.
    package var start = MediaTime.zero
    package var byteCount: UInt64 = 0
    /// Bits per second. 0 when unknown.
    package var bitRate: UInt64 = 0
    package var streams: [StreamDescription] = []
    package var chapters: [Chapter] = []
    package var tags: [Tag] = []

    package init() {}
}

/// What a stream is for. Cover art is a picture that belongs to the file, not to its timeline.
package enum StreamKind: Hashable, Sendable, CaseIterable {
    case video, audio, subtitle, data, attachment, coverArt
}

/// One stream of a source.
package struct StreamDescription: Hashable, Sendable {
    package var index = 0
    package var kind = StreamKind.data
    package var codec = CodecID(rawValue: "none")
    package var codecName = ""
    package var profile = ""
    /// The RFC 6381 string that the playlist announces. Empty when the stream is not served.
    package var codecString = ""
    /// As the file has it. Empty when unknown.
    package var language = ""
    package var title = ""
    /// Words such as `default`, `forced`, `hearing_impaired` (`AV_DISPOSITION_*`).
    package var dispositions: [String] = []
    package var bitRate: UInt64 = 0
    package var start = MediaTime.zero
    package var duration: MediaTime?
    package var video: VideoProperties?
    package var audio: AudioProperties?
    package var tags: [Tag] = []
    package var fileName = ""
    package var mimeType = ""
    /// Size of an attachment or a cover picture.
    package var payloadByteCount: UInt64 = 0
    package var route = Route.none("")

    package init() {}

    package func has(disposition: String) -> Bool { dispositions.contains(disposition) }
}

/// How a stream reaches the player, and why.
package enum Route: Hashable, Sendable {
    case remux(String)
    /// Not served.
    case none(String)
}

package struct VideoProperties: Hashable, Sendable {
    package var width = 0
    package var height = 0
    /// 1:1 when the source says nothing.
    package var sampleAspectRatio = Ratio(1, 1)
    /// Frames per second. `nil` when the source does not say.
    package var frameRate: Ratio?
    package var pixelFormat = ""
    package var bitDepth = 8
    package var color = ColorDescription()
    /// Clockwise, in degrees: 0, 90, 180 or 270.
    package var rotation = 0
    package var videoFormat = "SDR"
    package var isInterlaced = false

    package init() {}
}

/// Code points of ITU-T H.273, as containers and bitstreams carry them. 2 means unspecified.
package struct ColorDescription: Hashable, Sendable {
    package var primaries = 2
    package var transfer = 2
    package var matrix = 2
    package var isFullRange = false

    package init(primaries: Int = 2, transfer: Int = 2, matrix: Int = 2, isFullRange: Bool = false) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        self.isFullRange = isFullRange
    }

    package var isSpecified: Bool { primaries != 2 || transfer != 2 || matrix != 2 }
}

package struct AudioProperties: Hashable, Sendable {
    package var sampleRate = 0
    package var channels = 0
    /// libavutil's name, such as `5.1(side)`.
    package var channelLayout = ""
    package var bitDepth = 0

    package init() {}
}

package struct Chapter: Hashable, Sendable {
    package var start: MediaTime
    package var end: MediaTime
    package var title: String

    package init(start: MediaTime, end: MediaTime, title: String) {
        self.start = start
        self.end = end
        self.title = title
    }
}

package struct Tag: Hashable, Sendable {
    package var key: String
    package var value: String

    package init(_ key: String, _ value: String) {
        self.key = key
        self.value = value
    }
}

/// A fraction, such as a frame rate or an aspect ratio.
package struct Ratio: Hashable, Sendable {
    package var numerator: Int
    package var denominator: Int

    package init(_ numerator: Int, _ denominator: Int) {
        self.numerator = numerator
        self.denominator = denominator
    }

    package var value: Double { denominator == 0 ? 0 : Double(numerator) / Double(denominator) }
}
