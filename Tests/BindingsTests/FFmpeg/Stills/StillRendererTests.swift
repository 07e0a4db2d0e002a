// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Foundation
import Testing

@testable import Bindings

@Suite("Stills of any colour", .needsFFmpegCommand, .timeLimit(.minutes(10)))
struct StillRendererTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    /// The squares of a clip's still, as decoded by `ffmpeg`.
    private func squares(_ clip: PatchClip, width: Int? = nil) async throws -> [[Double]] {
        var style = StillStyle()
        style.format = .png
        style.maximumWidth = width
        let file = try await StillStudio().still(of: clip.make(in: place.url), style: style)
        let samples = try Command.samples(of: place.write(file, to: "still.png"), "", in: place.url)
        return try Command.centres(samples, squares: clip.patches.count)
    }

    /// The squares of the clip as rendered by the `ffmpeg` command.
    ///
    /// - Parameter options: additional options of the filter that converts codes to light.
    private func reference(_ clip: PatchClip, _ options: String = "") throws -> [[Double]] {
        let filters =
            "zscale=t=linear:npl=100\(options),format=gbrpf32le,zscale=p=bt709,tonemap=tonemap=hable:desat=0,"
            + "zscale=t=bt709:m=bt709:r=tv,format=yuv444p,"
        let samples = try Command.samples(of: place.url.appending(path: clip.name).path, filters, in: place.url)
        return try Command.centres(samples, squares: clip.patches.count)
    }

    @Test("PQ is tone-mapped as the standards' formulas and ffmpeg's filters do", arguments: [nil, 304])
    func perceptualQuantizer(width: Int?) async throws {
        let clip = PatchClip.perceptualQuantizer(ReferenceLight.scene.map { $0.map(ReferenceLight.pqCode) })
        let found = try await squares(clip, width: width)
        let expected = ReferenceLight.scene.map { ReferenceLight.toned($0, peak: 1000) }
        #expect(Distance.light(found, expected) < 0.01)
        #expect(Distance.codes(found, try reference(clip)) < 4)
    }

    @Test("HLG is rendered for a 1000 cd/m² display and then tone-mapped")
    func hybridLogGamma() async throws {
        let greys = [0.05, 0.2, 0.38, 0.5, 0.75, 0.9, 1].map { [$0, $0, $0] }
        let skins = [[0.6, 0.5, 0.42], [0.45, 0.35, 0.3], [0.68, 0.6, 0.55]]
        let colours = [
            [0.5, 0.2, 0.2], [0.2, 0.3, 0.6], [0.3, 0.55, 0.2], [0.75, 0.1, 0.1], [0.1, 0.1, 0.75], [0.75, 0.2, 0.75],
        ]
        let clip = PatchClip.hybridLogGamma(greys + skins + colours)
        let found = try await squares(clip)
        let expected = clip.patches.map { ReferenceLight.toned(ReferenceLight.hlgLight($0), peak: 1000) }
        #expect(Distance.codes(found, expected) < 4)
        #expect(Distance.codes(found, try reference(clip, ":agamma=0")) < 4)
    }

    /// Clips that show the same colours in different encodings.
    private static let standard: [PatchClip] = {
        let scene = ReferenceLight.standardScene
        let wide = scene.map { ReferenceLight.codes($0, ReferenceLight.wideFromStandard) }
        let cinema = scene.map { ReferenceLight.codes($0, ReferenceLight.cinemaFromStandard) }
        let hd = ["bt709", "bt709", "bt709", "tv"]
        let full = ["bt709", "bt709", "bt709", "pc"]
        return [
            .standard(scene, matrix: "709", tags: hd),
            .standard(scene, matrix: "709", range: "pc", tags: full),
            .standard(scene, matrix: "709", format: "yuv420p10le", tags: hd),
            .standard(scene, matrix: "709", range: "pc", format: "yuv422p10le", tags: full),
            .standard(scene, matrix: "709", format: "yuv444p12le", tags: hd),
            .standard(scene, matrix: "709", format: "yuv444p", tags: hd),
            .standard(scene, matrix: "470bg", tags: ["bt709", "bt709", "bt470bg", "tv"]),
            .standard(scene, matrix: "170m"),
            .standard(scene + scene, matrix: "709"),
            .standard(
                wide,
                matrix: "2020_ncl",
                format: "yuv420p10le",
                tags: ["bt2020", "bt2020-10", "bt2020nc", "tv"]
            ),
            .standard(cinema, matrix: "709", format: "yuv444p10le", tags: ["smpte432", "bt709", "bt709", "tv"]),
        ]
    }()

    @Test("SDR keeps its colours in every encoding", arguments: standard.indices)
    func standardRange(index: Int) async throws {
        let clip = Self.standard[index]
        let expected = ReferenceLight.standardScene.map { $0.map { $0 * 255 } }
        let found = try await squares(clip)
        let wanted = found.count > expected.count ? expected + expected : expected
        #expect(Distance.codes(found, wanted) < 4, "\(clip.name)")
    }

    @Test("PAL primaries are converted to BT.709")
    func standardDefinition() async throws {
        let tags = ["bt470bg", "smpte170m", "bt470bg", "tv"]
        let clip = PatchClip.standard(ReferenceLight.standardScene, matrix: "470bg", format: "yuv444p10le", tags: tags)
        let found = try await squares(clip)
        // ITU-R BT.2407: linear BT.601 with 625 lines to BT.709.
        let matrix = [[1.0440, -0.0440, 0], [0, 1, 0], [0, 0.0118, 0.9882]]
        let expected = clip.patches.map { ReferenceLight.codes($0, matrix).map { min($0, 1) * 255 } }
        #expect(Distance.codes(found, expected) < 4)
    }

    @Test("A still that keeps HDR has 16 bits and declares its colours", arguments: [16, 18])
    func kept(transfer: UInt8) async throws {
        let codes = ReferenceLight.scene.map { $0.map(ReferenceLight.pqCode) }
        let clip: PatchClip = transfer == 16 ? .perceptualQuantizer(codes) : .hybridLogGamma(codes)
        var style = StillStyle()
        style.format = .png
        style.range = .keep
        let file = try await StillStudio().still(of: clip.make(in: place.url), style: style)
        #expect(file[24] == 16, "the bit depth of IHDR")
        #expect(
            Array(file[33..<49]) == [0, 0, 0, 4] + Array("cICP".utf8) + [9, transfer, 0, 1] + Array(file[45..<49])
        )
        let samples = try Command.samples(of: place.write(file, to: "kept.png"), "", in: place.url)
        let expected = clip.patches.map { $0.map { $0 * 255 } }
        #expect(Distance.codes(try Command.centres(samples, squares: clip.patches.count), expected) < 2.5)
    }

    @Test("A still with 16 bits is rejected for an 8-bit format", arguments: [StillFormat.jpeg, .webp])
    func tooDeep(format: StillFormat) async throws {
        var style = StillStyle()
        style.format = format
        style.range = .keep
        let path = try PatchClip.perceptualQuantizer([[0.5, 0.5, 0.5]]).make(in: place.url)
        await #expect(throws: StillError.tooDeep(format)) { try await StillStudio().still(of: path, style: style) }
    }

    @Test("Every format preserves the colours", arguments: StillFormat.allCases)
    func formats(format: StillFormat) async throws {
        var style = StillStyle()
        style.format = format
        let clip = PatchClip.standard(
            ReferenceLight.standardScene,
            matrix: "709",
            tags: ["bt709", "bt709", "bt709", "tv"]
        )
        let file = try await StillStudio().still(of: clip.make(in: place.url), style: style)
        let name = "still.\(format.rawValue)"
        let samples = try Command.samples(of: place.write(file, to: name), "", in: place.url)
        let expected = clip.patches.map { $0.map { $0 * 255 } }
        #expect(Distance.codes(try Command.centres(samples, squares: clip.patches.count), expected) < 255 * 0.03)
    }
}
