// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Foundation
import Packaging

/// A source stream written with the module under test: an init segment, then one media segment per 30 samples.
struct PackagedFile {
    let path: String
    let setup: TrackSetup
    let samples: [Sample]
    /// The earliest presentation time of the source, in the track's ticks.
    let firstPresentation: Int64

    init(_ source: SourceStream, scratch: ScratchDirectory) throws {
        let timescale = source.video == nil ? UInt32(max(1, source.audio?.sampleRate ?? 1)) : 90_000
        let target = TimeBase.hertz(Int64(timescale))
        var setup = try TrackSetup.resolve(
            codec: source.codec,
            timescale: timescale,
            extradata: source.extradata,
            firstPackets: source.packets.prefix(8).map(\.bytes),
            video: source.video,
            audio: source.audio,
            language: "eng"
        )
        let presentation = source.packets.map { source.timeBase.rescale($0.presentation ?? $0.decode ?? 0, to: target) }
        let ordered = presentation.sorted()
        let length = max(1, (ordered.count > 1 ? ordered[1] - ordered[0] : Int64(timescale) / 25))
        // Decode times are the sorted presentation times; adding the reorder delay to presentation keeps each at or
        // before its presentation.
        let lead = Int64(setup.reorderDepth) * length
        let origin = ordered.first ?? 0
        // Media before 0, such as an encoder's priming, stays before 0.
        setup.track.mediaTimeOffset = lead + max(0, -origin)
        var samples: [Sample] = []
        for (index, packet) in source.packets.enumerated() {
            let payload = try setup.transform.apply(ArrayRegion(packet.bytes))
            let decode = ordered[index] - origin
            let next = index + 1 < ordered.count ? ordered[index + 1] - origin : decode + length
            samples.append(
                Sample(
                    decodeTime: decode,
                    compositionOffset: Int32(clamping: presentation[index] - origin + lead - decode),
                    duration: UInt32(clamping: next - decode),
                    isSync: packet.isKey,
                    payload: payload
                )
            )
        }
        var bytes = InitSegment.bytes(for: setup.track)
        var sequence: UInt32 = 1
        for start in stride(from: 0, to: samples.count, by: 30) {
            let part = Array(samples[start..<min(start + 30, samples.count)])
            for region in MediaSegment.body(sequenceNumber: sequence, track: setup.track, samples: part).regions {
                region.withBytes { (span: Span<UInt8>) in
                    for index in span.indices { bytes.append(span[index]) }
                }
            }
            sequence += 1
        }
        path = scratch.path("\(UUID().uuidString).mp4")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        self.setup = setup
        self.samples = samples
        firstPresentation = origin
    }
}

/// Frames that ffmpeg decodes from a file.
enum Decoded {
    /// The digest of every frame, in order of presentation.
    static func digests(_ path: String, _ selector: String) throws -> [Substring] {
        let isVideo = selector.hasPrefix("v")
        let options = isVideo ? ["-fps_mode", "passthrough"] : []
        // Priming is decoded too: whether ffmpeg drops it depends on the container.
        let decoding = isVideo ? ["-noautorotate"] : ["-flags2", "+skip_manual"]
        let text = try Tool.text(
            "ffmpeg",
            ["-v", "error"] + decoding + ["-i", path, "-map", "0:\(selector)"] + options + ["-f", "framemd5", "-"]
        )
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: ",").last }
    }
}
