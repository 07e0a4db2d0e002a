// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Bindings

@Suite(.timeLimit(.minutes(10))) struct DolbyVisionComposerTests {
    private static let line = DolbyVisionMapping.Curve(pivots: [0, 1], pieces: [.polynomial([0, 1])])

    private static func mapping(_ first: DolbyVisionMapping.Curve) -> DolbyVisionMapping {
        DolbyVisionMapping(
            curves: [first, line, line],
            toNonlinear: [1, 0, 0, 1, 0, 0, 1, 0, 0],
            offset: [0, 0.5, 0.5],
            toLMS: [1, 0, 0, 0, 1, 0, 0, 0, 1],
            sourceMaximumPQ: 3079
        )
    }

    @Test("Greys follow the PQ curve of their luma", arguments: [0, 512, 2081, 3079, 4095] as [UInt16])
    func greys(code: UInt16) throws {
        let composer = try #require(DolbyVisionComposer(Self.mapping(Self.line)))
        let light = composer.light(code, 2048, 2048)
        let expected = ReferenceLight.pqLight(Double(code) / 4095) / 100
        for component in 0..<3 {
            #expect(abs(Double(light[component]) - expected) <= 0.002 * expected + 0.0001, "\(light)")
        }
    }

    @Test("A piece applies from its pivot on, and samples outside the pivots are clamped")
    func pivots() {
        let curve = ReshapingCurve(
            DolbyVisionMapping.Curve(
                pivots: [0.25, 0.5, 0.75],
                pieces: [.polynomial([0.1]), .polynomial([0, 0, 1])]
            )
        )
        let found = [0, 0.25, 0.4, 0.6, 0.75, 1].map { sample in
            curve.value(Int((sample * 4095).rounded()), terms: .zero)
        }
        let expected: [Float] = [0.1, 0.1, 0.1, 0.36, 0.5625, 0.5625]
        #expect(zip(found, expected).allSatisfy { abs($0 - $1) < 0.001 }, "\(found)")
    }

    @Test("Values outside 0 to 1 are clamped")
    func range() throws {
        let steep = DolbyVisionMapping.Curve(pivots: [0, 1], pieces: [.polynomial([-1, 1_000_000])])
        let composer = try #require(DolbyVisionComposer(Self.mapping(steep)))
        #expect(composer.light(0, 0, 65535).x.isFinite)
        #expect(abs(composer.light(4095, 2048, 2048).x - 100) < 0.01)
    }

    @Test("Mappings with unusable numbers or missing parts are rejected")
    func hostile() {
        for number in [Float.nan, .infinity, 1e30] {
            #expect(
                DolbyVisionComposer(Self.mapping(.init(pivots: [0, 1], pieces: [.polynomial([0, number])]))) == nil
            )
            #expect(
                DolbyVisionComposer(Self.mapping(.init(pivots: [0, number], pieces: [.polynomial([0, 1])]))) == nil
            )
        }
        for curve in [
            DolbyVisionMapping.Curve(pivots: [0, 1], pieces: []), .init(pivots: [], pieces: []),
            .init(pivots: [1, 0], pieces: [.polynomial([0, 1])]), .init(pivots: [0, 1], pieces: [.polynomial([])]),
            .init(pivots: [0, 1], pieces: [.regression(constant: 0, orders: [[1]])]),
            .init(pivots: [0, 1], pieces: [.regression(constant: 0, orders: [])]),
        ] { #expect(DolbyVisionComposer(Self.mapping(curve)) == nil) }
    }
}
