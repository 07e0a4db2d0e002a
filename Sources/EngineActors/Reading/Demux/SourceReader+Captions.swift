// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import Packaging

extension SourceReader {
    /// How many pictures are searched for captions.
    private static let sampledPictures = 64

    /// Records the caption services that a broadcast announces, which libavformat does not expose.
    func noteCaptionServices(in media: inout MediaDescription) {
        guard context.container.isMPEGTS else { return }
        // A read error is reported when the source is opened.
        let start = try? file.read(at: 0, count: Int(min(file.byteCount, Int64(TransportCaptions.byteCount))))
        let services = TransportCaptions(start: start ?? []).services
        guard !services.isEmpty else { return }
        for info in context.streamInfos() where media.streams.indices.contains(info.index) {
            media.streams[info.index].video?.captionServices = services[info.identifier] ?? []
        }
    }

    /// Records the caption channels in the first pictures of a video. Only for a source that is not opened for
    /// playback.
    package func findCaptions(_ media: inout MediaDescription) throws(EngineError) {
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
