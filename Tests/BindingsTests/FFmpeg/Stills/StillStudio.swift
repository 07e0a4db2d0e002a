// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import Foundation
import Testing

@testable import Bindings

/// Makes stills on a thread that may block.
actor StillStudio {
    private let executor = ThreadExecutor(name: "test-stills")
    private let interrupt = InterruptFlag()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// The properties of a file's video stream, and its first frames.
    func frames(of path: String, count: Int = 1) throws -> (VideoProperties, [VideoFrame]) {
        var context = try FormatContext.open(RegularFile(path: path), for: .reading, interrupt: interrupt)
        try context.findStreamInfo()
        let streams = context.describe(source: path).streams
        let stream = try #require(streams.first { $0.video != nil })
        let video = try #require(stream.video)
        var decoder = try VideoDecoder.open(try context.codecParameters(of: stream.index), threading: .slices)
        var frames: [VideoFrame] = []
        var isDrained = false
        while frames.count < count {
            switch try decoder.receive() {
            case .frame(let frame): frames.append(frame)
            case .ended: return (video, frames)
            case .needsInput:
                try #require(!isDrained)
                if let packet = try context.readPacket() {
                    if packet.streamIndex == stream.index { try decoder.send(packet) }
                } else {
                    try decoder.drain()
                    isDrained = true
                }
            }
        }
        return (video, frames)
    }

    func render(
        _ frame: VideoFrame,
        of video: VideoProperties,
        style: StillStyle = StillStyle(),
        mapping: DolbyVisionMapping? = nil
    ) throws -> VideoFrame {
        try StillRenderer.render(frame, of: video, style: style, mapping: mapping)
    }

    func encode(_ frame: VideoFrame, style: StillStyle) throws -> [UInt8] {
        try StillEncoder.encode(frame, style: style)
    }

    /// The first frame of a file as an image file.
    func still(of path: String, style: StillStyle) throws -> [UInt8] {
        let (video, frames) = try frames(of: path)
        let frame = try StillRenderer.renderToCode(try #require(frames.first), of: video, style: style)
        return try encode(frame, style: style)
    }
}

/// A temporary directory, removed with its contents when this object is released.
final class Workplace: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "engine-stills-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ bytes: [UInt8], to name: String) throws -> String {
        let file = url.appending(path: name)
        try Data(bytes).write(to: file)
        return file.path
    }
}
