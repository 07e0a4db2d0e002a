// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Packaging

/// A segment of text as a file that libavformat reads. Of WebVTT, the cues stay as they are. The text tracks of fragmented MP4
/// (ISO/IEC 14496-30), which libavformat does not know, are converted.
struct SegmentText {
    /// The interpretation of its times.
    enum Clock {
        /// They are relative to the timestamp map, or without one to the start of the presentation.
        case mapped(WebVTTTimestampMap?)
        /// They are on the clock of the media.
        case stated(repeatsCues: Bool)
    }

    let bytes: [UInt8]
    /// libavformat's name.
    let demuxer: String
    let clock: Clock

    /// - Parameter segment: the bytes of the segment, after those of its init if it has one. The init alone has no
    ///   cues.
    /// - Throws: the error of a document in it that cannot be read.
    init(_ segment: [UInt8]) throws(TimedTextError) {
        guard let fragmented = FragmentedText(segment) else {
            bytes = WebVTTBlocks.withCuesOnly(segment)
            (demuxer, clock) = ("webvtt", .mapped(WebVTTTimestampMap(segment)))
            return
        }
        clock = .stated(repeatsCues: fragmented.form == .ttml)
        switch fragmented.form {
        case .webVTT: (bytes, demuxer) = (fragmented.webVTT, "webvtt")
        case .ttml:
            var file: [UInt8] = []
            for sample in fragmented.samples where !sample.bytes.isEmpty {
                let (cues, _) = try TTMLDocument.read(sample.bytes)
                file += TTMLText.subRip(TTMLText.shown(cues, in: sample))
            }
            (bytes, demuxer) = (file, "srt")
        }
    }

    /// A file without cues, which describes the stream of a list.
    ///
    /// - Parameter map: the init segment of the list; empty if it has none. `nil` if it is unknown; then IMSC is
    ///   assumed, the usual text in fragmented MP4.
    static func empty(_ map: [UInt8]?) -> SegmentText {
        let form = map.map { FragmentedText($0)?.form } ?? .ttml
        let isDocument = form == .ttml
        return SegmentText(
            bytes: isDocument ? [] : Array("WEBVTT\n\n".utf8),
            demuxer: isDocument ? "srt" : "webvtt",
            clock: form == nil ? .mapped(nil) : .stated(repeatsCues: isDocument)
        )
    }

    private init(bytes: [UInt8], demuxer: String, clock: Clock) {
        (self.bytes, self.demuxer, self.clock) = (bytes, demuxer, clock)
    }
}
