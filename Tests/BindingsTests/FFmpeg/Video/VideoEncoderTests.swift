// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Foundation
import Testing

@testable import Bindings

/// Encodes noise, which no encoder predicts.
@Suite("Video encoders", .timeLimit(.minutes(10)))
struct VideoEncoderTests {
    private static let thread = ReadingThread()
    private static let (width, height) = (128, 96)

    private static func settings(_ library: EncoderLibrary, isLimited: Bool = false) -> VideoEncoder.Settings {
        let presets: [EncoderLibrary: String] = [.x264: "veryfast", .vpx: "8", .svtAV1: "12"]
        var settings = VideoEncoder.Settings(
            library,
            frames: VideoEncoder.FrameFormat(
                width: width,
                height: height,
                sampleAspectRatio: Ratio(1, 1),
                color: ColorDescription(primaries: 1, transfer: 1, matrix: 1),
                timescale: 90_000,
                rate: Ratio(25, 1)
            ),
            rateControl: VideoEncoder.RateControl(
                quality: 26,
                maximumBitRate: 1_000_000,
                bufferSize: 1_000_000,
                level: library == .vpx || library == .svtAV1 ? 20 : 30
            ),
            preset: presets[library] ?? "",
            reordersFrames: true
        )
        if isLimited {
            settings.rateControl.isLimited = true
            (settings.rateControl.maximumBitRate, settings.rateControl.bufferSize) = (300_000, 300_000)
        }
        return settings
    }

    private static func encoded(
        _ library: EncoderLibrary,
        frames: Int,
        isLimited: Bool = false
    ) async throws -> [Packet] {
        try await thread.run { () throws(FFmpegError) in
            let blank = VideoFrame.blank(width: width, height: height, pts: nil)
            var noise = try FrameFilterGraph.make("noise=alls=60:allf=t:all_seed=7,format=yuv420p", for: blank)
            var encoder = try VideoEncoder.open(settings(library, isLimited: isLimited))
            var packets: [Packet] = []
            for number in 0..<frames {
                packets += try encoder.encode(noise.apply(blank), at: Int64(number) * 3600)
            }
            return try packets + encoder.finish()
        }
    }

    @Test(
        "equal frames give equal bytes, one packet for each, and only the first is a keyframe",
        arguments: EncoderLibrary.libraries
    )
    func pure(library: EncoderLibrary) async throws {
        let packets = try await Self.encoded(library, frames: 60)
        let again = try await Self.encoded(library, frames: 60)
        #expect(packets.map(\.bytes) == again.map(\.bytes))
        #expect(packets.map(\.isKey) == [true] + Array(repeating: false, count: 59))
        #expect(packets.compactMap(\.pts).sorted() == (0..<60).map { $0 * 3600 })
        if library != .x264 { #expect(packets.allSatisfy { $0.pts == $0.dts }) }
    }

    @Test("x264 keeps to its maximum bit rate if it is limited, with the same parameter sets and equal bytes")
    func limited() async throws {
        let sets = try await Self.thread.run { () throws(FFmpegError) in
            let encoder = try VideoEncoder.open(Self.settings(.x264))
            let limited = try VideoEncoder.open(Self.settings(.x264, isLimited: true))
            return [encoder.extradata, limited.extradata]
        }
        #expect(sets[0] == sets[1] && !sets[0].isEmpty)
        func size(_ packets: [Packet]) -> Int { packets.reduce(0) { $0 + $1.byteCount * 8 } }
        let free = try await Self.encoded(.x264, frames: 60)
        let limited = try await Self.encoded(.x264, frames: 60, isLimited: true)
        let again = try await Self.encoded(.x264, frames: 60, isLimited: true)
        #expect(limited.map(\.bytes) == again.map(\.bytes))
        // Nine tenths of the buffer, and the bits of 2.4 s at the maximum rate.
        #expect(size(limited) <= 990_000 && size(free) > 990_000)
    }

    @Test("x264 can do all work on the calling thread, so that its CPU time can be measured whatever other threads do")
    func serial() async throws {
        func work(isSerial: Bool) async throws -> (packets: [Packet], nanoseconds: Int64) {
            try await Self.thread.run { () throws(FFmpegError) in
                let blank = VideoFrame.blank(width: Self.width, height: Self.height, pts: nil)
                var noise = try FrameFilterGraph.make("noise=alls=60:allf=t:all_seed=7,format=yuv420p", for: blank)
                var settings = Self.settings(.x264)
                settings.isSerial = isSerial
                let frames = try (0..<60).map { _ throws(FFmpegError) in try noise.apply(blank) }
                let start = threadNanoseconds()
                var encoder = try VideoEncoder.open(settings)
                var packets: [Packet] = []
                for (number, frame) in frames.enumerated() {
                    packets += try encoder.encode(frame, at: Int64(number) * 3600)
                }
                packets += try encoder.finish()
                return (packets, threadNanoseconds() - start)
            }
        }
        let (serial, parallel) = (try await work(isSerial: true), try await work(isSerial: false))
        #expect(serial.packets.count == 60 && parallel.packets.count == 60)
        // Without `isSerial`, the calling thread only hands over frames and packets.
        #expect(serial.nanoseconds > parallel.nanoseconds * 3 / 2)
        #expect(EncoderLibrary.allCases.filter { !$0.canBeSerial } == [.svtAV1])
    }

    @Test("the sequence header of AV1 depends neither on the content nor on the number of frames")
    func sequenceHeader() async throws {
        let (short, long) = (try await Self.encoded(.svtAV1, frames: 1), try await Self.encoded(.svtAV1, frames: 50))
        // A temporal delimiter of 2 bytes, then the header and its size.
        let (first, second) = (try #require(short.first).bytes, try #require(long.first).bytes)
        #expect(first[0] == 0x12 && first[2] == 0x0A)
        let end = 4 + Int(first[3])
        #expect(first[..<end] == second[..<end] && first != second)
    }

    @Test("an encoder that was given no frame has no packets, and can be closed", arguments: EncoderLibrary.libraries)
    func empty(library: EncoderLibrary) async throws {
        let packets = try await Self.thread.run { () throws(FFmpegError) in
            var encoder = try VideoEncoder.open(Self.settings(library))
            return try encoder.finish()
        }
        #expect(packets.isEmpty)
    }

    @Test(
        "no thread of an encoder has real-time priority, even if the process may give it",
        arguments: EncoderLibrary.libraries
    )
    func priority(library: EncoderLibrary) async throws {
        let policies = try await Self.thread.run { () throws(FFmpegError) in
            let encoder = try VideoEncoder.open(Self.settings(library))
            let found = Self.policies()
            _ = encoder.extradata
            return found
        }
        #expect(policies.count > 1 && policies.allSatisfy { $0 != SCHED_FIFO && $0 != SCHED_RR })
    }

    /// The scheduling policies of the threads of this process.
    private static func policies() -> [Int32] {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return threads.compactMap { pid_t($0) }.map { sched_getscheduler($0) }
    }

    @Test("a device encodes every frame, or is refused where the machine has none", arguments: EncoderLibrary.devices)
    func devices(library: EncoderLibrary) async throws {
        do {
            let packets = try await Self.encoded(library, frames: 60)
            #expect(packets.map(\.isKey) == [true] + Array(repeating: false, count: 59))
            #expect(packets.compactMap(\.pts) == (0..<60).map { $0 * 3600 } && packets.allSatisfy { $0.pts == $0.dts })
        } catch let error as FFmpegError {
            // A device that exists may be unable to encode, so its failures are not judged. Without a device, opening
            // fails.
            let node = library == .vaapi ? "/dev/dri" : "/dev/nvidiactl"
            guard !FileManager.default.fileExists(atPath: node) else { return }
            #expect(error.function == (library == .vaapi ? "av_hwdevice_ctx_create" : "avcodec_open2"))
        }
    }

    @Test("settings that a library does not support are refused")
    func refused() async throws {
        var settings = Self.settings(.svtAV1)
        (settings.frames.width, settings.frames.height) = (32, 32)
        await #expect(throws: FFmpegError.self) {
            try await Self.thread.run { [settings] () throws(FFmpegError) in
                try VideoEncoder.open(settings).extradata
            }
        }
    }
}
