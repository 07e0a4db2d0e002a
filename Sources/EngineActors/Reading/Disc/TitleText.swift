// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
package import Packaging

/// Text subtitles of a title of a Blu-ray disc. They are not in the bytes of the title, but in clips of their own.
struct TitleText: Sendable {
    /// A part of such a clip.
    struct Part: Sendable {
        /// The name of the clip.
        var clip = ""
        let file: DiscFile
        /// When it begins and how long it lasts, on the clip's own clock, in ticks of 90 kHz.
        let entry: Int64
        let duration: Int64
        /// When it begins in the title.
        let start: Int64
    }

    let text: BluRayStreamTable.Text
    let parts: [Part]

    /// The dialogs on the clock of the title, in order. Each clip is read once, however many parts it has, and the
    /// limits for one clip apply to all clips together.
    fileprivate func dialogs(_ interrupt: InterruptFlag) throws(EngineError) -> [TextDialog] {
        var read: [String: [TextDialog]] = [:]
        var left = BluRayText.byteLimit
        var dialogs: [TextDialog] = []
        for part in parts where dialogs.count < BluRayText.dialogLimit {
            let found: [TextDialog]
            if let known = read[part.clip] {
                found = known
            } else {
                let bytes = try part.file.bytes(limit: left, name: "its text subtitles", interrupt)
                left -= bytes.count
                found = BluRayText(bytes, pid: text.pid).dialogs
                read[part.clip] = found
            }
            dialogs += found.compactMap(part.placed).prefix(BluRayText.dialogLimit - dialogs.count)
        }
        return dialogs.sorted { $0.start < $1.start }
    }

    /// The description of the subtitles as a stream of the title.
    fileprivate func described(index: Int) -> StreamDescription {
        var stream = StreamDescription()
        stream.index = index
        stream.pid = text.pid
        stream.kind = .subtitle
        stream.codec = DiscText.codec
        stream.codecName = "HDMV Text subtitle"
        stream.language = text.language
        return stream
    }
}

extension TitleText.Part {
    /// A dialog on the clock of the title. `nil` if the part does not contain it.
    func placed(_ dialog: TextDialog) -> TextDialog? {
        let from = max(0, TitleTimeline.distance(from: entry, to: dialog.start))
        let to = min(duration, TitleTimeline.distance(from: entry, to: dialog.end))
        return from < to ? TextDialog(start: start + from, end: start + to, regions: dialog.regions) : nil
    }
}

/// The dialogs of text subtitles that a source has beside its container, on the clock of the source.
package struct DiscText: Sendable {
    package static let codec = CodecID(rawValue: "hdmv_text_subtitle")
    package static let timeBase = TimeBase.hertz(90_000)

    /// In order.
    package let dialogs: [TextDialog]
    /// The name of their charset in the C library.
    package let charset: String
}

extension TitleSource {
    /// The description of a title with the text subtitles, which come after the streams of the container.
    func listingTexts(_ media: MediaDescription) -> MediaDescription {
        var media = media
        for text in content.texts { media.streams.append(text.described(index: media.streams.count)) }
        return media
    }
}

extension ByteSource {
    /// Whether a stream lies beside the container.
    ///
    /// - Parameters:
    ///   - stream: its index.
    ///   - media: the description of this source.
    package func hasText(_ stream: Int, of media: MediaDescription) -> Bool {
        layout.texts.indices.contains(place(ofText: stream, media))
    }

    /// Reads text subtitles beside the container. Blocks.
    ///
    /// - Returns: `nil` if the stream is in the container.
    package func text(
        _ stream: Int,
        of media: MediaDescription,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> DiscText? {
        let (texts, place) = (layout.texts, place(ofText: stream, media))
        guard texts.indices.contains(place) else { return nil }
        return DiscText(dialogs: try texts[place].dialogs(interrupt), charset: texts[place].text.charset)
    }

    private func place(ofText stream: Int, _ media: MediaDescription) -> Int {
        stream - (media.streams.count - layout.texts.count)
    }
}
