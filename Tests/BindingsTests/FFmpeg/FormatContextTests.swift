// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
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

    /// The number of packets, and the sum of their sizes.
    func walk(_ path: String, skipping: Bool) throws -> (packets: Int, declaredBytes: Int) {
        var context = try FormatContext.open(
            RegularFile(path: path),
            for: skipping ? .walking : .reading,
            interrupt: interrupt
        )
        context.takePacketsAsTheyAre()
        if skipping { context.skipPayload() }
        var total = (packets: 0, declaredBytes: 0)
        while let packet = try context.readPacket() {
            total.packets += 1
            total.declaredBytes += packet.byteCount
        }
        return total
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
        #expect(read.packets > 300)
        #expect(read == walked)
    }

    @Test("A raised flag interrupts every later call")
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
