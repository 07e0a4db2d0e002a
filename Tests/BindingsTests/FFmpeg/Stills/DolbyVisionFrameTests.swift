// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Foundation
import Testing

@testable import Bindings

/// A profile 5 encoder in double precision: converts light to the coded signal.
private enum Encoder {
    static let toNonlinear: [[Double]] = [[8192, 799, 1681], [8192, -933, 1091], [8192, 267, -5545]].map { row in
        row.map { $0 / 8192 }
    }
    static let toLMS: [[Double]] = [[17081, -349, -349], [-349, 17081, -349], [-349, -349, 17081]].map { row in
        row.map { $0 / 16384 }
    }
    /// BT.2020 light to Hunt-Pointer-Estevez cone responses, through XYZ.
    private static let toCones: [[Double]] = {
        let toXYZ = [[0.636958, 0.144617, 0.168881], [0.262700, 0.677998, 0.059302], [0, 0.028073, 1.060985]]
        let cones = [[0.4002, 0.7076, -0.0808], [-0.2263, 1.1653, 0.0457], [0, 0, 0.9182]]
        return cones.map { row in
            (0..<3).map { column in (0..<3).map { row[$0] * toXYZ[$0][column] }.reduce(0, +) }
        }
    }()

    /// BT.2020 light in cd/m² to the signal before reshaping: I, and P and T centred at 0.5.
    static func signal(_ light: [Double]) -> [Double] {
        let cones = ReferenceLight.times(toCones, light)
        let mixed = ReferenceLight.times(ReferenceLight.inverse(toLMS), cones)
        let signal = ReferenceLight.times(ReferenceLight.inverse(toNonlinear), mixed.map(ReferenceLight.pqCode))
        return [signal[0], signal[1] + 0.5, signal[2] + 0.5]
    }

    static func mapping(_ curves: [DolbyVisionMapping.Curve]) -> DolbyVisionMapping {
        DolbyVisionMapping(
            curves: curves,
            toNonlinear: toNonlinear.joined().map(Float.init),
            offset: [0, 0.5, 0.5],
            toLMS: toLMS.joined().map(Float.init),
            sourceMaximumPQ: 3079
        )
    }

    static let identity = DolbyVisionMapping.Curve(pivots: [0, 1], pieces: [.polynomial([0, 1])])
}

@Suite("Stills in Dolby Vision's own colours", .needsFFmpegCommand, .timeLimit(.minutes(10)))
struct DolbyVisionFrameTests {
    /// An encoding of the signal, and the metadata that reverses it.
    struct Reshaping: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var mapping: DolbyVisionMapping
        var codes: @Sendable (_ signal: [Double]) -> [Double]
    }

    static var reshapings: [Reshaping] {
        [
            Reshaping(
                testDescription: "none",
                mapping: Encoder.mapping([Encoder.identity, Encoder.identity, Encoder.identity]),
                codes: { $0 }
            ),
            Reshaping(
                testDescription: "polynomials, luma in three pieces",
                mapping: Encoder.mapping([
                    .init(
                        pivots: [0, 0.25, 0.5, 1],
                        pieces: [.polynomial([0, 0.5]), .polynomial([0, 0.25, 1]), .polynomial([-0.25, 1.25])]
                    ),
                    .init(pivots: [0, 1], pieces: [.polynomial([0.2, 0.6])]),
                    .init(pivots: [0, 1], pieces: [.polynomial([0.1, 0.8])]),
                ]),
                codes: { signal in
                    let luma = signal[0]
                    let code =
                        luma < 0.125
                        ? luma / 0.5
                        : luma < 0.375 ? (-0.25 + (0.0625 + 4 * luma).squareRoot()) / 2 : (luma + 0.25) / 1.25
                    return [code, (signal[1] - 0.2) / 0.6, (signal[2] - 0.1) / 0.8]
                }
            ),
            Reshaping(
                testDescription: "regressions of third order",
                mapping: Encoder.mapping([
                    Encoder.identity,
                    // 0.1 + 0.7 u + 0.2 y u - 0.05 y²
                    .init(
                        pivots: [0, 1],
                        pieces: [
                            .regression(
                                constant: 0.1,
                                orders: [[0, 0.7, 0, 0.2, 0, 0, 0], [-0.05, 0, 0, 0, 0, 0, 0]]
                            )
                        ]
                    ),
                    // 0.05 + 0.8 v + 0.1 y v + 0.06 y³
                    .init(
                        pivots: [0, 1],
                        pieces: [
                            .regression(
                                constant: 0.05,
                                orders: [
                                    [0, 0, 0.8, 0, 0.1, 0, 0], [0, 0, 0, 0, 0, 0, 0], [0.06, 0, 0, 0, 0, 0, 0],
                                ]
                            )
                        ]
                    ),
                ]),
                codes: { signal in
                    let luma = signal[0]
                    return [
                        luma,
                        (signal[1] - 0.1 + 0.05 * luma * luma) / (0.7 + 0.2 * luma),
                        (signal[2] - 0.05 - 0.06 * luma * luma * luma) / (0.8 + 0.1 * luma),
                    ]
                }
            ),
        ]
    }

    @Test("Stills are close to the original light", arguments: reshapings)
    func composed(reshaping: Reshaping) async throws {
        let place = try Workplace()
        let clip = PatchClip.codes(ReferenceLight.scene.map { reshaping.codes(Encoder.signal($0)) })
        let studio = StillStudio()
        var (video, frames) = try await studio.frames(of: clip.make(in: place.url))
        video.dolbyVision = DolbyVisionConfiguration(profile: 5, level: 6, compatibility: 0)
        var style = StillStyle()
        style.format = .png
        let frame = try #require(frames.first)
        let rendered = try await studio.render(frame, of: video, style: style, mapping: reshaping.mapping)
        let file = try place.write(try await studio.encode(rendered, style: style), to: "still.png")
        let found = try Command.centres(Command.samples(of: file, "", in: place.url), squares: clip.patches.count)
        let expected = ReferenceLight.scene.map { ReferenceLight.toned($0, peak: 1000) }
        #expect(Distance.light(found, expected) < 0.02)
        // Codes are compared only for greys and skin tones, which have no component near black.
        #expect(Distance.codes(Array(found.prefix(13)), Array(expected.prefix(13))) < 5)
    }

    @Test("With the range kept, stills have PQ and BT.2020 primaries")
    func kept() async throws {
        let place = try Workplace()
        let reshaping = Self.reshapings[1]
        let clip = PatchClip.codes(ReferenceLight.scene.map { reshaping.codes(Encoder.signal($0)) })
        let studio = StillStudio()
        var (video, frames) = try await studio.frames(of: clip.make(in: place.url))
        video.dolbyVision = DolbyVisionConfiguration(profile: 5, level: 6, compatibility: 0)
        var style = StillStyle()
        style.format = .png
        style.range = .keep
        let frame = try #require(frames.first)
        let rendered = try await studio.render(frame, of: video, style: style, mapping: reshaping.mapping)
        let bytes = try await studio.encode(rendered, style: style)
        #expect(bytes[24] == 16)
        #expect(Array(bytes[37..<45]) == Array("cICP".utf8) + [9, 16, 0, 1])
        let file = try place.write(bytes, to: "kept.png")
        let found = try Command.centres(Command.samples(of: file, "", in: place.url), squares: clip.patches.count)
        let expected = ReferenceLight.scene.map { $0.map { ReferenceLight.pqCode($0) * 255 } }
        #expect(Distance.codes(Array(found.prefix(13)), Array(expected.prefix(13))) < 4)
    }

    @Test("Without metadata, rendering fails")
    func none() async throws {
        let place = try Workplace()
        let studio = StillStudio()
        var (video, frames) = try await studio.frames(of: PatchClip.codes([[0.5, 0.5, 0.5]]).make(in: place.url))
        video.dolbyVision = DolbyVisionConfiguration(profile: 5, level: 6, compatibility: 0)
        let frame = try #require(frames.first)
        let described = video
        await #expect(throws: StillError.noDolbyVisionMetadata) { try await studio.render(frame, of: described) }
    }
}
