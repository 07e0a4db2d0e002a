// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// What a sidecar is for.
struct SidecarFilm: Sendable {
    /// The name of its file.
    var name: String
    /// Of its pictures, where there are some: formats that count them are timed by it.
    var frameRate: Ratio?
}

/// A file of subtitles that was read and recognised. Values.
struct SidecarContent: Sendable {
    private static let byteLimit: Int64 = 64 << 20
    /// More is not needed to see that a file is no text.
    private static let headByteCount = 64

    let place: SidecarPlace
    let format: SidecarFormat
    /// What its text was taken to be encoded in. Empty for pictures.
    let charset: String
    let byteCount: Int64
    private let input: SidecarInput

    /// Reads a file, or fetches it.
    ///
    /// - Parameter headers: for a server, where the sidecar names none.
    init(
        _ sidecar: Sidecar,
        headers: [HTTPHeader],
        interrupt: InterruptFlag
    ) throws(EngineError) {
        place = try SidecarPlace(sidecar.path)
        let headers = sidecar.httpHeaders.isEmpty ? headers : sidecar.httpHeaders
        let fetcher = SidecarFetcher(headers: headers, interrupt: interrupt)
        let (head, file) = try Self.bytes(at: place, fetcher)
        byteCount = file?.byteCount ?? Int64(head.count)
        do throws(SidecarFormat.Refusal) {
            if let binary = try SidecarFormat.ofBinary(head) {
                (format, charset) = (binary, "")
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
        let bytes = format == .ass ? ScriptFields.ordered(text.bytes) : text.bytes
        input = SidecarInput(.memory(bytes), demuxer: format.demuxer, pictures: pictures)
    }

    /// What cannot be opened although it looks like subtitles.
    var refusal: String { "\(place.shown) is no subtitles that can be read" }

    func input(for film: SidecarFilm?) -> SidecarInput {
        var input = input
        if format == .microDVD, let rate = film?.frameRate {
            input.options = [("subfps", "\(rate.numerator)/\(rate.denominator)")]
        }
        return input
    }

    /// The tracks, with what the request, the file and its name say of them, in this order.
    func tracks(
        of media: MediaDescription,
        as sidecar: Sidecar,
        for film: SidecarFilm?,
        firstID: Int
    ) -> [SubtitleTrack] {
        let name = SidecarName(place.name, film: film?.name)
        return media.streams.enumerated().map { number, stream in
            let language = [sidecar.language, stream.language, name.language].first { !$0.isEmpty } ?? ""
            var track = SubtitleTrack(
                id: firstID + number,
                codec: stream.codec,
                language: language,
                title: sidecar.title.isEmpty ? stream.title : sidecar.title,
                dispositions: stream.dispositions + name.dispositions.filter { !stream.dispositions.contains($0) },
                isText: SubtitleCodec.isText(stream.codec),
                origin: .sidecar(place.shown)
            )
            track.charset = track.isText ? charset : ""
            return track
        }
    }

    /// All bytes of what a server has; of a file the first ones.
    private static func bytes(
        at place: SidecarPlace,
        _ fetcher: SidecarFetcher
    ) throws(EngineError) -> ([UInt8], RegularFile?) {
        switch place {
        case .web(let address): return (try fetcher.bytes(at: address), nil)
        case .file(let path):
            let file = try SourceFile.open(path)
            return (try read(file, count: headByteCount), file)
        }
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
        beside place: SidecarPlace,
        _ fetcher: SidecarFetcher
    ) throws(EngineError) -> SidecarInput.Pictures {
        switch place.pictures {
        case .none: throw EngineError(.sourceNotFound, "\(place.shown) is not named .idx: its .sub cannot be found")
        case .file(let path): return .file(try SourceFile.open(path))
        case .web(let address):
            let bytes = try fetcher.bytes(at: address)
            do throws(Errno) {
                return .memory(try MemoryFile(bytes))
            } catch {
                throw EngineError(.internal, "\(address.shown) cannot be kept in memory", cause: "\(error)")
            }
        }
    }
}

extension EngineError {
    init(_ refusal: SidecarFormat.Refusal, _ place: SidecarPlace) {
        let code: Code = refusal == .empty ? .sourceEmpty : .sourceNotMedia
        let cause = if case .compressed(let format) = refusal { format } else { "" }
        self.init(code, "\(place.shown) is no file of subtitles: \(refusal.reason)", cause: cause)
    }
}
