// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A video file of a single frame: squares side by side, each of one colour.
struct PatchClip: Sendable {
    static let side = 64

    var name: String
    /// R', G', B' of each square, 0 to 1, in the clip's own colours.
    var patches: [[Double]]
    /// The `ffmpeg` filters applied to the frame, then the encoder's arguments.
    var filters: String
    var encoding: [String]
    /// The pixel format before the filters.
    var pixelFormat = "gbrp16le"

    /// PQ with BT.2020 primaries, 10 bits, lossless.
    static func perceptualQuantizer(_ patches: [[Double]]) -> PatchClip {
        hevc("pq", patches, "zscale=m=2020_ncl:r=tv,format=yuv420p10le", "smpte2084", ":max-cll=1000,400")
    }

    static func hybridLogGamma(_ patches: [[Double]]) -> PatchClip {
        hevc("hlg", patches, "zscale=m=2020_ncl:r=tv,format=yuv420p10le", "arib-std-b67", "")
    }

    /// SDR, lossless.
    ///
    /// - Parameters:
    ///   - tags: primaries, transfer, matrix and range, as `ffmpeg` options.
    static func standard(
        _ patches: [[Double]],
        matrix: String,
        range: String = "tv",
        format: String = "yuv420p",
        tags: [String] = []
    ) -> PatchClip {
        let names = ["-color_primaries", "-color_trc", "-colorspace", "-color_range"]
        return PatchClip(
            name: "standard-\(matrix)-\(range)-\(format).mkv",
            patches: patches,
            filters: "zscale=m=\(matrix):r=\(range),format=\(format)",
            encoding: ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none:lossless=1"]
                + zip(names, tags).flatMap { [$0, $1] }
        )
    }

    /// Luma and both chroma samples as fractions of the largest 10-bit code, full range, with unspecified colours.
    static func codes(_ patches: [[Double]]) -> PatchClip {
        PatchClip(
            name: "codes.mkv",
            // `planes` writes components in the order 1, 2, 0, which must be Y, U, V here.
            patches: patches.map { [$0[2], $0[0], $0[1]] },
            filters: "setparams=colorspace=bt709,zscale=r=pc,format=yuv420p10le,setparams=colorspace=unknown",
            encoding: [
                "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none:lossless=1:range=full",
            ],
            pixelFormat: "yuv444p16le"
        )
    }

    private static func hevc(
        _ name: String,
        _ patches: [[Double]],
        _ filters: String,
        _ transfer: String,
        _ more: String
    ) -> PatchClip {
        let colors = "colorprim=bt2020:colormatrix=bt2020nc:transfer=\(transfer)\(more)"
        return PatchClip(
            name: "\(name).mkv",
            patches: patches,
            filters: filters,
            encoding: [
                "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none:lossless=1:\(colors)",
            ]
        )
    }

    /// Writes the file into `folder`.
    func make(in folder: URL) throws -> String {
        let raw = folder.appending(path: "\(name).raw")
        let path = folder.appending(path: name).path
        try planes.write(to: raw)
        try Command.ffmpeg(
            [
                "-f", "rawvideo", "-pix_fmt", pixelFormat, "-s", "\(patches.count * Self.side)x\(Self.side)",
                "-color_range", "pc", "-i", raw.path,
                "-vf", "setparams=colorspace=gbr:color_primaries=bt709:color_trc=bt709:range=pc,\(filters)",
            ] + encoding + [path]
        )
        return path
    }

    /// The planes in the order of `gbrp16le`: green, blue, red.
    private var planes: Data {
        var data = Data()
        for component in [1, 2, 0] {
            var row = Data()
            for patch in patches {
                let code = UInt16((min(max(patch[component], 0), 1) * 65535).rounded())
                for _ in 0..<Self.side { row.append(contentsOf: [UInt8(code & 255), UInt8(code >> 8)]) }
            }
            for _ in 0..<Self.side { data.append(row) }
        }
        return data
    }
}

/// The `ffmpeg` command, an implementation separate from the code under test.
enum Command {
    static func ffmpeg(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/ffmpeg")
        process.arguments = ["-nostdin", "-v", "error", "-y"] + arguments
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "ffmpeg \(arguments.joined(separator: " "))")
    }

    /// The first frame of a file as 8-bit R, G, B samples.
    static func samples(of path: String, _ filters: String, in folder: URL) throws -> [UInt8] {
        let raw = folder.appending(path: "\(UUID().uuidString).rgb")
        try ffmpeg(["-i", path, "-frames:v", "1", "-vf", "\(filters)format=rgb24", "-f", "rawvideo", raw.path])
        return Array(try Data(contentsOf: raw))
    }

    /// The centre pixel of each square.
    static func centres(_ samples: [UInt8], squares: Int) throws -> [[Double]] {
        try #require(samples.count % (squares * 3) == 0 && !samples.isEmpty)
        let pixels = samples.count / 3
        // The picture is a row of squares.
        let side = Int((Double(pixels) / Double(squares)).squareRoot().rounded())
        try #require(side * side * squares == pixels)
        return (0..<squares).map { square in
            let place = (side / 2 * side * squares + square * side + side / 2) * 3
            return samples[place..<place + 3].map(Double.init)
        }
    }
}
