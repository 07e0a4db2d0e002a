// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Foundation
import Testing

@testable import Bindings

@Suite("JPEG files", .needsFFmpegCommand, .timeLimit(.minutes(10)))
struct JPEGFileTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    private func film(_ format: String) throws -> String {
        let tags = ["bt709", "bt709", "bt709", "tv"]
        return try PatchClip.standard(ReferenceLight.standardScene, matrix: "709", format: format, tags: tags)
            .make(in: place.url)
    }

    private func still(
        _ path: String,
        _ format: StillFormat,
        width: Int? = nil,
        quality: Int
    ) async throws -> [UInt8] {
        var style = StillStyle()
        (style.format, style.maximumWidth, style.quality) = (format, width, quality)
        return try await StillStudio().still(of: path, style: style)
    }

    private func samples(_ file: [UInt8], _ name: String) throws -> [UInt8] {
        try Command.samples(of: place.write(file, to: name), "", in: place.url)
    }

    /// The chroma subsampling of a file: the luma sampling factors in the frame header (ISO/IEC 10918-1, B.2.2).
    private func factor(_ file: [UInt8]) throws -> UInt8 {
        let header = try #require(file.indices.first { file[$0] == 0xFF && file[$0 + 1] == 0xC0 })
        return file[header + 11]
    }

    @Test("JPEGs of any size are complete to the last row and column", arguments: [nil, 17, 101, 333], [40, 85, 95])
    func sizes(width: Int?, quality: Int) async throws {
        let path = try film("yuv420p")
        let file = try await still(path, .jpeg, width: width, quality: quality)
        #expect(file == (try await still(path, .jpeg, width: width, quality: quality)))
        let found = try samples(file, "still.jpg")
        let exact = try samples(try await still(path, .png, width: width, quality: quality), "still.png")
        try #require(found.count == exact.count)
        let far = zip(found, exact).map { abs(Int($0) - Int($1)) }
        #expect(far.reduce(0, +) < far.count * 8)
        let columns = width ?? ReferenceLight.standardScene.count * PatchClip.side
        let lastRow = far.suffix(columns * 3)
        #expect(lastRow.reduce(0, +) < lastRow.count * 12)
        // The last square has a uniform colour.
        let lastColumn = stride(from: columns * 3 - 1, to: far.count, by: columns * 3).map { far[$0] }
        #expect(lastColumn.reduce(0, +) < lastColumn.count * 12)
    }

    @Test("Chroma subsampling depends on quality, size and source")
    func chroma() async throws {
        let halved = try film("yuv420p")
        #expect(try factor(try await still(halved, .jpeg, quality: 95)) == 0x22)
        #expect(try factor(try await still(halved, .jpeg, width: 101, quality: 95)) == 0x11)
        #expect(try factor(try await still(halved, .jpeg, width: 384, quality: 95)) == 0x11)
        #expect(try factor(try await still(halved, .jpeg, width: 384, quality: 89)) == 0x22)
        // An odd width needs 4:4:4.
        #expect(try factor(try await still(halved, .jpeg, width: 101, quality: 89)) == 0x11)
        let whole = try film("yuv444p")
        #expect(try factor(try await still(whole, .jpeg, quality: 95)) == 0x11)
    }
}
