// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

extension SourceReader {
    /// Pictures in which captions are looked for.
    private static let sampledPictures = 64

    /// Notes the captions that a broadcast announces. libavformat keeps that to itself.
    func noteCaptionServices(in media: inout MediaDescription) {
        guard context.container.isMPEGTS else { return }
        // Where it cannot be read, opening the source says so.
        let start = try? file.read(at: 0, count: Int(min(file.byteCount, Int64(TransportCaptions.byteCount))))
        let services = TransportCaptions(start: start ?? []).services
        guard !services.isEmpty else { return }
        for info in context.streamInfos() where media.streams.indices.contains(info.index) {
            media.streams[info.index].video?.captionServices = services[info.identifier] ?? []
        }
    }

    /// Notes the channels of captions that the first pictures of a video show which is not opened for playback.
    func findCaptions(_ media: inout MediaDescription) throws(EngineError) {
        guard let place = media.streams.firstIndex(where: { $0.kind == .video }) else { return }
        let stream = media.streams[place].index
        let info = context.streamInfos().first { $0.index == stream }
        guard let extractor = info.flatMap({ CaptionExtractor(codec: $0.codec, extradata: $0.extradata) }) else {
            return
        }
        context.keep(only: [stream])
        var channels: Set<String> = []
        var pictures = 0
        while pictures < Self.sampledPictures, let packet = try readPacket() {
            guard packet.streamIndex == stream else { continue }
            pictures += 1
            channels.formUnion(packet.withBytes { extractor.channels(in: $0) })
        }
        media.streams[place].video?.captionChannels = channels.sorted()
    }
}
