// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Foundation
import Testing

@testable import Bindings

/// Runs libavformat on a thread that may block.
private actor Reader {
    private let executor = ThreadExecutor(name: "test-reader")
    nonisolated let interrupt = InterruptFlag()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    func describe(_ path: String) throws -> MediaDescription {
        var context = try FormatContext.open(RegularFile(path: path), for: .reading, interrupt: interrupt)
        try context.findStreamInfo()
        return context.describe(source: path)
    }

    /// The properties of a packet, without its payload.
    struct Head: Equatable {
        let stream: Int
        let time: Int64?
        let byteCount: Int
        let isKey: Bool
    }

    func walk(_ path: String, skipping: Bool) throws -> [Head] {
        var context = try FormatContext.open(
            RegularFile(path: path),
            for: skipping ? .walking : .reading,
            interrupt: interrupt
        )
        context.disableParsing()
        if skipping { context.skipPayload() }
        var heads: [Head] = []
        while let packet = try context.readPacket() {
            heads.append(
                Head(
                    stream: packet.streamIndex,
                    time: packet.pts,
                    byteCount: packet.byteCount,
                    isKey: packet.isKey
                )
            )
        }
        return heads
    }
}

@Suite("libavformat as values", .needsFFmpegCommand, .timeLimit(.minutes(10)))
struct FormatContextTests {
    @Test("A media description has the container, streams and properties of the file")
    func describe() async throws {
        let media = try await Reader().describe(Clip.matroska.path())
        #expect(media.container == "matroska,webm")
        #expect(media.streams.map(\.kind) == [.video, .audio])
        #expect(media.streams[0].codec == .h264)
        #expect(media.streams[0].video?.width == 160)
        #expect(media.streams[0].video?.frameRate == Ratio(24, 1))
        #expect(media.streams[1].audio?.sampleRate == 48_000)
    }

    @Test("Walking over headers finds the same packets as reading", arguments: [Clip.matroska, .flash, .fragmented])
    func walk(clip: Clip) async throws {
        let path = try clip.path()
        let read = try await Reader().walk(path, skipping: false)
        let walked = try await Reader().walk(path, skipping: true)
        #expect(read.count > 300)
        #expect(read == walked)
    }

    @Test(
        "The header of a block is read, wherever in the header the buffer ends",
        arguments: 0..<16
    )
    func blockHeaders(shift: Int) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "engine-\(UUID().uuidString).mkv").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(Self.matroska(blockAt: (4 << 10) - shift)).write(to: URL(filePath: path))
        let walked = try await Reader().walk(path, skipping: true)
        #expect(
            walked == [
                .init(stream: 0, time: 5, byteCount: 6000, isKey: true),
                .init(stream: 0, time: 45, byteCount: 6000, isKey: false),
            ]
        )
    }

    /// A track of VP9 with two frames, whose first block starts at `place`.
    private static func matroska(blockAt place: Int) -> [UInt8] {
        func element(_ id: [UInt8], _ content: [UInt8]) -> [UInt8] {
            id + [0x10 | UInt8(content.count >> 24)]
                + [16, 8, 0].map { UInt8(truncatingIfNeeded: content.count >> $0) } + content
        }
        func block(_ time: UInt8, _ flags: UInt8) -> [UInt8] {
            element([0xA3], [0x81, 0, time, flags] + [UInt8](repeating: 0x5A, count: 6000))
        }
        let head = element([0x1A, 0x45, 0xDF, 0xA3], element([0x42, 0x82], Array("webm".utf8)))
        let video = element([0xE0], element([0xB0], [64]) + element([0xBA], [64]))
        let track = element(
            [0xAE],
            element([0xD7], [1]) + element([0x73, 0xC5], [1]) + element([0x83], [1])
                + element([0x86], Array("V_VP9".utf8)) + video
        )
        // The size of an element of unknown length, as in live recordings.
        let unknown: [UInt8] = [0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        var file = head + [0x18, 0x53, 0x80, 0x67] + unknown + element([0x15, 0x49, 0xA9, 0x66], [])
        file += element([0x16, 0x54, 0xAE, 0x6B], track)
        let cluster = [0x1F, 0x43, 0xB6, 0x75] + unknown + element([0xE7], [0])
        file += element([0xEC], [UInt8](repeating: 0, count: place - file.count - cluster.count - 5))
        return file + cluster + block(5, 0x80) + block(45, 0)
    }

    @Test("After the flag is raised, opening a file is interrupted")
    func interrupt() async throws {
        let reader = Reader()
        reader.interrupt.raise()
        let path = try Clip.matroska.path()
        let error = await #expect(throws: FFmpegError.self) { try await reader.describe(path) }
        #expect(error?.isInterruption == true)
    }

    #if DEBUG
    @Test("Calling FFmpeg on a thread that must not block crashes a debug build")
    func offThread() async {
        await #expect(processExitsWith: .failure) {
            _ = try FormatContext.open(RegularFile(path: "/proc/self/exe"), for: .reading, interrupt: InterruptFlag())
        }
    }
    #endif
}
