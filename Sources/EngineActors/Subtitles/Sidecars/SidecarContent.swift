// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import Packaging
internal import Reading

/// The source that a sidecar belongs to.
package struct SidecarContext: Sendable {
    /// The name of the source file.
    var name: String
    /// The frame rate of the video, if any. Formats whose times are frame numbers need it.
    var frameRate: Ratio?

    package init(name: String, frameRate: Ratio? = nil) {
        self.name = name
        self.frameRate = frameRate
    }
}

/// A subtitle file whose format is known.
struct SidecarContent: Sendable {
    private static let byteLimit: Int64 = 64 << 20
    /// Enough bytes to recognize a binary format.
    private static let headByteCount = 64

    let place: SidecarLocation
    let format: SidecarFormat
    /// The assumed encoding of the text. Empty for binary formats.
    let charset: String
    let byteCount: Int64
    /// The language that the file states; empty if none.
    private let language: String
    private let input: SidecarInput

    /// Reads a local file, or fetches a remote one.
    ///
    /// - Parameters:
    ///   - place: the location of the file; `nil`: the path in `sidecar`.
    ///   - fetcher: its headers are sent if the sidecar has none of its own.
    init(_ sidecar: Sidecar, at place: SidecarLocation? = nil, by fetcher: SidecarFetcher) throws(EngineError) {
        let place = if let place { place } else { try SidecarLocation(sidecar.path) }
        self.place = place
        var fetcher = fetcher
        if !sidecar.httpHeaders.isEmpty { fetcher.http.headers = sidecar.httpHeaders }
        let (head, file) = try Self.bytes(at: place, fetcher)
        byteCount = file?.byteCount ?? Int64(head.count)
        do throws(SidecarFormat.Refusal) {
            if let binary = try SidecarFormat.ofBinary(head) {
                (format, charset, language) = (binary, "", "")
                input = SidecarInput(file.map { .file($0) } ?? .memory(head), demuxer: binary.demuxer)
                return
            }
        } catch {
            throw EngineError(error, place)
        }
        let whole = try file.map { file throws(EngineError) in try Self.whole(file) } ?? head
        let text = try SidecarText(whole, charset: sidecar.charset, place: place)
        let fileExtension = SidecarName(place.name).fileExtension
        do throws(SidecarFormat.Refusal) {
            format = try SidecarFormat.ofText(text.bytes, fileExtension: fileExtension)
        } catch {
            throw EngineError(error, place)
        }
        charset = text.charset
        let pictures = format == .vobSub ? try Self.pictures(beside: place, fetcher) : nil
        var bytes = text.bytes
        var language = ""
        switch format {
        case .ass: bytes = ScriptFields.ordered(bytes)
        case .ttml: (bytes, language) = try Self.subRip(ofTimedText: bytes, place)
        case .webVTT: bytes = WebVTTBlocks.withCuesOnly(bytes)
        case .subRip, .microDVD, .subViewer, .pgs, .vobSub: break
        }
        self.language = language
        input = SidecarInput(.memory(bytes), demuxer: format.demuxer, pictures: pictures)
    }

    /// The message for a file that looks like subtitles but cannot be opened.
    var refusal: String { "\(place.shown) contains no readable subtitles" }

    func input(for source: SidecarContext?) -> SidecarInput {
        var input = input
        if format == .microDVD, let rate = source?.frameRate {
            input.options = [("subfps", "\(rate.numerator)/\(rate.denominator)")]
        }
        return input
    }

    /// The tracks of the file. For each property the request takes precedence, then the file, then its name.
    func tracks(
        of media: MediaDescription,
        as sidecar: Sidecar,
        for source: SidecarContext?,
        firstID: Int
    ) -> [SubtitleTrack] {
        let name = SidecarName(place.name, source: source?.name)
        return media.streams.enumerated().map { number, stream in
            let languages = [sidecar.language, stream.language, self.language, name.language]
            let language = languages.first { !$0.isEmpty } ?? ""
            var track = SubtitleTrack(
                id: firstID + number,
                codec: stream.codec,
                language: language,
                title: [sidecar.title, stream.title, name.title].first { !$0.isEmpty } ?? "",
                dispositions: stream.dispositions + name.dispositions.filter { !stream.dispositions.contains($0) },
                isText: SubtitleCodec.isText(stream.codec),
                origin: .sidecar(place.shown)
            )
            track.charset = track.isText ? charset : ""
            track.isFound = place.isFound
            return track
        }
    }

    private static func subRip(
        ofTimedText bytes: [UInt8],
        _ place: SidecarLocation
    ) throws(EngineError) -> (bytes: [UInt8], language: String) {
        let (cues, language): ([Cue], String)
        do throws(TimedTextError) {
            (cues, language) = try TTMLDocument.read(bytes, isUTF8: true)
        } catch {
            throw EngineError(SidecarFormat.Refusal.xml(error.reason), place)
        }
        if cues.isEmpty { throw EngineError(SidecarFormat.Refusal.withoutText, place) }
        return (TTMLText.subRip(cues), language)
    }

    /// The whole body from a server, or the first bytes of a local file together with the file.
    private static func bytes(
        at place: SidecarLocation,
        _ fetcher: SidecarFetcher
    ) throws(EngineError) -> ([UInt8], RegularFile?) {
        if let bytes = try fetcher.bytes(at: place) { return (bytes, nil) }
        let file = try place.open()
        return (try read(file, count: headByteCount), file)
    }

    private static func whole(_ file: RegularFile) throws(EngineError) -> [UInt8] {
        guard file.byteCount <= byteLimit else {
            throw EngineError(.resourceExhausted, "\(file.path) has more than \(byteLimit >> 20) MiB of text")
        }
        return try read(file, count: Int(file.byteCount))
    }

    private static func read(_ file: RegularFile, count: Int) throws(EngineError) -> [UInt8] {
        do throws(Errno) {
            return try file.read(at: 0, count: count)
        } catch {
            throw EngineError(.sourceReadFailed, "reading \(file.path) failed", cause: "\(error)")
        }
    }

    private static func pictures(
        beside place: SidecarLocation,
        _ fetcher: SidecarFetcher
    ) throws(EngineError) -> SidecarInput.Pictures {
        guard let pictures = place.pictures else {
            throw EngineError(.sourceNotFound, "\(place.shown) is not named .idx, so its .sub cannot be found")
        }
        guard let bytes = try fetcher.bytes(at: pictures) else { return .file(try pictures.open()) }
        do throws(Errno) {
            return .memory(try MemoryFile(bytes))
        } catch {
            throw EngineError(.internal, "\(pictures.shown) cannot be kept in memory", cause: "\(error)")
        }
    }
}

extension EngineError {
    init(_ refusal: SidecarFormat.Refusal, _ place: SidecarLocation) {
        let code: Code = refusal == .empty ? .sourceEmpty : .sourceNotMedia
        let cause =
            switch refusal {
            case .compressed(let format): format
            case .empty, .html, .xml, .withoutText, .vobSubWithoutIndex, .unknown: ""
            }
        self.init(code, "\(place.shown) is not a subtitle file: \(refusal.reason)", cause: cause)
    }
}
