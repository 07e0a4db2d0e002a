// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import Foundation
import Testing

@testable import Bindings
@testable import Decoding

/// Filters the frames of small test videos on a thread that may call FFmpeg, like a decoder's thread.
actor FilterStudio {
    private let executor = ThreadExecutor(name: "test-filters")
    private let interrupt = InterruptFlag()
    private let folder = FileManager.default.temporaryDirectory.appending(path: "engine-filters-\(UUID().uuidString)")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    let look: SharedTreatment
    private var filters: FrameFilters
    let findings = Locked<[SharedTreatment.Finding]>([])

    init(rotation: Int = 0, aspect: Ratio? = nil) {
        let look = SharedTreatment()
        self.look = look
        filters = FrameFilters(look, rotation: rotation, aspect: aspect)
        look.listen { [findings] finding in
            if finding != .drawn { findings.withLock { $0.append(finding) } }
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Applies commands as a session would.
    func ask(_ commands: FilterCommand...) throws {
        var treatment = look.treatment
        for command in commands { _ = try treatment.apply(command) }
        look.set(treatment)
    }

    func apply(_ frames: [TimedFrame], showing images: [[CueImage]] = []) -> [TimedFrame] {
        filters.apply(frames, showing: images)
    }

    /// An opaque white image at a place on a canvas. Made here, because encoding it may block.
    func image(x: Int, y: Int, width: Int, height: Int, on canvas: (Int, Int)) throws -> CueImage {
        let pixels = [UInt8](repeating: 255, count: width * height * 4)
        return CueImage(
            png: try PixelEncoder.png(width: width, height: height, pixels: pixels),
            width: width,
            height: height,
            corner: CuePosition(x: Double(x) / Double(canvas.0), y: Double(y) / Double(canvas.1)),
            extent: CuePosition(x: Double(width) / Double(canvas.0), y: Double(height) / Double(canvas.1)),
            canvasWidth: canvas.0,
            canvasHeight: canvas.1
        )
    }

    func flush() { filters.flush() }

    /// Filters the frame repeatedly until all its overlays are drawn.
    func applyUntilDrawn(_ timed: TimedFrame) async throws -> TimedFrame {
        while true {
            try Task.checkCancellation()
            let treated = apply([timed])[0]
            if filters.areOverlaysDrawn { return treated }
            await Task.yield()
        }
    }

    /// Makes a lossless video of `count` test frames without noise, at 25 frames per second.
    func film(
        _ format: String = "yuv420p",
        size: String = "66x50",
        count: Int = 6,
        filter: String = "null"
    ) throws
        -> (path: String, frames: [TimedFrame])
    {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appending(path: "\(UUID().uuidString).mkv").path
        try run(
            "-f lavfi -i testsrc2=s=\(size):r=25 -frames:v \(count) -vf \(filter),format=\(format) -c:v ffv1 \(path)"
        )
        var context = try FormatContext.open(RegularFile(path: path), for: .reading, interrupt: interrupt)
        try context.findStreamInfo()
        var decoder = try VideoDecoder.open(try context.codecParameters(of: 0), threading: .slices)
        var frames: [TimedFrame] = []
        func receive() throws {
            while case .frame(let frame) = try decoder.receive() {
                let time = MediaTime(microseconds: Int64(frames.count) * 40_000)
                frames.append(TimedFrame(frame: frame, time: time, duration: MediaTime(microseconds: 40_000)))
            }
        }
        while let packet = try context.readPacket() {
            try decoder.send(packet)
            try receive()
        }
        try decoder.drain()
        try receive()
        try #require(frames.count == count)
        return (path, frames)
    }

    /// The output of ffmpeg's filter for the video, frame by frame.
    func reference(_ path: String, _ filter: String, format: String, count: Int) throws -> [[UInt8]] {
        let output = folder.appending(path: "\(UUID().uuidString).raw")
        try run("-i \(path) -vf \(filter) -pix_fmt \(format) -f rawvideo \(output.path)")
        let bytes = [UInt8](try Data(contentsOf: output))
        try #require(bytes.count % count == 0 && !bytes.isEmpty)
        let size = bytes.count / count
        return (0..<count).map { Array(bytes[$0 * size..<($0 + 1) * size]) }
    }

    /// A script of this resolution that shows `text` all the time, without a border or shadow unless the text sets one.
    func script(_ text: String, width: Int, height: Int) throws -> String {
        let path = folder.appending(path: "\(UUID().uuidString).ass")
        let script = """
            [Script Info]
            ScriptType: v4.00+
            PlayResX: \(width)
            PlayResY: \(height)
            ScaledBorderAndShadow: yes
            [V4+ Styles]
            Format: Name, Fontname, Fontsize, PrimaryColour, OutlineColour, BackColour, ScaleX, ScaleY, Outline, Shadow, Alignment
            Style: D,Arial,20,&H00FFFFFF,&H00000000,&H00000000,100,100,0,0,7
            [Events]
            Format: Layer, Start, End, Style, Text
            Dialogue: 0,0:00:00.00,9:00:00.00,D,\(text)
            """
        try Data(script.utf8).write(to: path)
        return path.path
    }

    private func run(_ arguments: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/ffmpeg")
        process.arguments = ["-nostdin", "-v", "error", "-y"] + arguments.split(separator: " ").map(String.init)
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "ffmpeg \(arguments)")
    }
}
