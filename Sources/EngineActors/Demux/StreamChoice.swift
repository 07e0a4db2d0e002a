// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Which streams of a source are served, and why the others are not.
struct StreamChoice {
    /// What the fMP4 writer carries unchanged.
    static let video: Set<CodecID> = [.h264, .hevc, .av1, .vp9]
    static let audio: Set<CodecID> = [.aac, .ac3, .eac3, .flac, .alac, .opus, .mp3]

    /// The stream index of the video that is served.
    let video: Int?
    /// Stream indexes, the leading one first.
    var served: [Int]
    private let media: MediaDescription

    init(_ infos: [StreamInfo], _ media: MediaDescription, _ options: LoadOptions) {
        self.media = media
        let pictures = media.streams.filter { $0.kind == .video && Self.video.contains($0.codec) }
        let sounds = media.streams.filter { $0.kind == .audio && Self.audio.contains($0.codec) }
        video = (pictures.first { $0.has(disposition: "default") } ?? pictures.first)?.index
        served = (video.map { [$0] } ?? []) + sounds.map(\.index)
    }

    /// - Precondition: something is served.
    var lead: Int { served[0] }

    func route(of stream: StreamDescription) -> Route {
        if served.contains(stream.index) { return .remux("copied unchanged into fMP4") }
        return switch stream.kind {
        case .video where Self.video.contains(stream.codec): .none("another video stream is served")
        case .video, .audio: .none("\(stream.codec.rawValue) is not carried in fMP4 without re-encoding")
        case .coverArt: .none("a picture that belongs to the file, not to its timeline")
        case .subtitle: .none("not part of the HLS output")
        case .data, .attachment: .none("not played")
        }
    }

    func requirePlayable(path: String) throws(EngineError) {
        let pictures = media.streams.filter { $0.kind == .video }
        let sounds = media.streams.filter { $0.kind == .audio }
        guard !pictures.isEmpty || !sounds.isEmpty else {
            let kinds = media.streams.map { $0.codec.rawValue }.joined(separator: ", ")
            throw EngineError(.noPlayableStream, "\(path) holds no video and no audio", cause: "streams: [\(kinds)]")
        }
        guard video != nil || pictures.isEmpty, !served.isEmpty else {
            let codecs = (pictures + sounds).map { $0.codec.rawValue }.joined(separator: ", ")
            throw EngineError(
                .noPlayableStream,
                "\(path) holds \(codecs), which cannot be served without re-encoding",
                cause: pictures.isEmpty ? "no audio codec that fMP4 carries" : "no video codec that fMP4 carries"
            )
        }
    }
}
