// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Decoding
internal import Reading
internal import EngineModel

/// Decodes the first video stream of a file, as the software path does, and prints the number of frames.
@main
struct DecodeBench {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: decode-bench FILE")
            return
        }
        let path = CommandLine.arguments[1]
        let source = try await Demuxer(name: "open").open(path, options: LoadOptions())
        guard let video = source.media.streams.first(where: { $0.kind == .video }) else {
            print("\(path) has no video")
            return
        }
        let feed = PacketFeed(.opened(source), video: video.index, audio: nil)
        try await feed.enter(at: .zero, generation: 1)
        let decoder = SoftwareVideoDecoder(feed: feed, usesDevices: false)
        var count = 0
        while case .some(let frames) = try await decoder.next(generation: 1) { count += frames.count }
        print(count)
    }
}
