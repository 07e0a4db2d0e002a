// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Foundation
import Testing

@testable import Bindings

/// The source shows a bright bar that moves from field to field.
@Suite("Deinterlacing of stills", .needsFFmpegCommand, .timeLimit(.minutes(10)))
struct StillDeinterlacingTests {
    private let place: Workplace
    private let studio = StillStudio()

    init() throws { place = try Workplace() }

    private func film() throws -> String {
        let path = place.url.appending(path: "fields.ts").path
        let source =
            "color=gray:s=320x192:r=50[a];color=white:s=60x192:r=50[b];[a][b]overlay=x='mod(n*12,320)',"
            + "tinterlace=mode=interleave_top,format=yuv420p"
        try Command.ffmpeg([
            "-f", "lavfi", "-i", source, "-t", "1", "-c:v", "mpeg2video", "-q:v", "2", "-flags", "+ilme+ildct", "-top",
            "1",
            path,
        ])
        return path
    }

    /// Counts combing: pixels that differ strongly, and in the same direction, from those above and below.
    private func combs(_ frame: VideoFrame) async throws -> Int {
        var style = StillStyle()
        style.format = .png
        let file = try place.write(try await studio.encode(frame, style: style), to: "\(UUID().uuidString).png")
        let samples = try Command.samples(of: file, "", in: place.url).map(Int.init)
        let (width, height) = (frame.width, frame.height)
        var found = 0
        for row in 1..<height - 1 {
            for column in 0..<width {
                let place = (row * width + column) * 3
                let here = samples[place]
                if (samples[place - width * 3] - here) * (samples[place + width * 3] - here) > 900 { found += 1 }
            }
        }
        return found
    }

    @Test("Neither full-size nor small stills have combing")
    func combless() async throws {
        let (video, frames) = try await studio.frames(of: film(), count: 5)
        try #require(frames.count == 5 && frames.allSatisfy(\.isInterlaced))
        let woven = try await combs(frames[4])
        #expect(woven > 500, "the film has no comb to begin with")
        let alone = try await studio.render(frames[4], of: video)
        #expect((alone.width, alone.height) == (320, 192))
        #expect(try await combs(alone) < woven / 50)
        var small = StillStyle()
        small.maximumWidth = 160
        let half = try await studio.render(frames[4], of: video, style: small)
        #expect((half.width, half.height) == (160, 96))
        #expect(try await combs(half) == 0)
    }

    @Test("The filter depends on the size of the still and on the cropping")
    func methods() async throws {
        let (video, frames) = try await studio.frames(of: film())
        let frame = try #require(frames.first)
        func filter(_ width: Int?, cropping: Int = 0) -> StillDeinterlacing {
            var video = video
            video.cropping.top = cropping
            var style = StillStyle()
            style.maximumWidth = width
            let layout = StillLayout(width: 320, height: 192, video: video, style: style)
            return StillDeinterlacing(frame, for: layout)
        }
        #expect(filter(nil) == .between(isTopFirst: true))
        #expect(filter(160) == .alone(isTopFirst: true))
        #expect(filter(160, cropping: 2) == .between(isTopFirst: true))
    }
}
