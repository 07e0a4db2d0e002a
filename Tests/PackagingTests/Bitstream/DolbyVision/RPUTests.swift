// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
import Packaging
import Testing

@Suite(.timeLimit(.minutes(10))) struct RPUTests {
    private static let all = RPUScript.conversions.flatMap { [$0.source, $0.result] }

    @Test("Parsing and writing are lossless", arguments: all)
    func roundTrip(_ script: RPUScript) throws { #expect(try RPU(unit: script.unit).unit() == script.unit) }

    @Test("An enhancement layer is removed as in mode 2 of dovi_tool", arguments: RPUScript.conversions)
    func conversion(source: RPUScript, result: RPUScript) throws {
        let converted = try #require(try RPU(unit: source.unit).convertedToProfile8())
        #expect(converted.unit() == result.unit)
        #expect(converted.profile == .eight)
        #expect(converted.convertedToProfile8() == converted, "a second conversion changes nothing")
    }

    @Test("Extension blocks of both versions are found")
    func blocks() throws {
        let script = RPUScript(name: "", blocks: RPUScript.olderBlocks, newerBlocks: RPUScript.newBlocks)
        let blocks = try RPU(unit: script.unit).blocks()
        #expect(blocks.map(\.level) == [1, 2, 4, 5, 6, 255, 3, 8, 9, 10, 11, 254])
        #expect(blocks.map(\.bits.count) == [40, 88, 24, 56, 64, 48, 40, 80, 8, 40, 32, 16])
    }

    @Test("The profile is derived from the fields")
    func profile() throws {
        func profile(_ script: RPUScript) throws -> RPUProfile? { try RPU(unit: script.unit).profile }
        #expect(try profile(RPUScript(name: "", layer: .minimal)) == .seven(isMinimal: true))
        #expect(try profile(RPUScript(name: "", layer: .full)) == .seven(isMinimal: false))
        #expect(try profile(RPUScript(name: "", layer: .full, previousID: 0)) == .seven(isMinimal: nil))
        #expect(try profile(RPUScript(name: "", layer: .full, outputDepth: 14)) == .four)
        #expect(try profile(RPUScript(name: "")) == .eight)
        #expect(try profile(RPUScript(name: "", rpuProfile: 0, isFullRange: true)) == .five)
        #expect(try profile(RPUScript(name: "", rpuProfile: 0)) == nil)
    }

    @Test("RPUs for a base layer that is not HDR10 are not converted")
    func otherProfiles() throws {
        for script in [
            RPUScript(name: "", rpuProfile: 0, isFullRange: true), RPUScript(name: "", layer: .full, outputDepth: 14),
            RPUScript(name: "", rpuProfile: 2),
        ] { #expect(try RPU(unit: script.unit).convertedToProfile8() == nil) }
    }

    @Test("A wrong checksum, and invalid content with a correct checksum, are rejected")
    func damage() throws {
        let refused = [
            RPUScript(name: "checksum", damage: 1), RPUScript(name: "depth", enhancementDepthCode: 9),
            RPUScript(name: "block past the end", blocks: [(1, "00060b9029")]).cut,
        ]
        for script in refused { #expect(throws: PackagingError.self, "\(script.name)") { try RPU(unit: script.unit) } }
        for bytes in ["", "7c01", "7c0119", "7c011980", "7c01190000000080", "7c010000030000030000"] {
            #expect(throws: PackagingError.self) { try RPU(unit: hex(bytes)) }
        }
    }

    @Test("Random changes with a correct checksum give a value that can be written back, or a typed error")
    func mutation() {
        var random = SplitMix(state: 62)
        var readable = 0
        for script in Self.all {
            for _ in 0..<80 {
                var mutant = script
                mutant.mutations = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                    (Int.random(in: 0..<4096, using: &random), UInt8.random(in: 1...255, using: &random))
                }
                mutant.cutLength =
                    Int.random(in: 0..<8, using: &random) == 0 ? Int.random(in: 0..<200, using: &random) : nil
                let unit = mutant.unit
                guard let rpu = try? RPU(unit: unit) else { continue }
                readable += 1
                #expect(rpu.unit() == unit)
                guard let converted = rpu.convertedToProfile8() else { continue }
                #expect((try? RPU(unit: converted.unit())) == converted)
            }
        }
        #expect(readable > 200, "enough changed RPUs are readable")
    }

    @Test("Arbitrary bytes give a value or a typed error")
    func noise() {
        var random = SplitMix(state: 63)
        for _ in 0..<1000 {
            let count = Int.random(in: 0..<96, using: &random)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            _ = try? RPU(unit: [0x7C, 1, 0x19] + bytes + [0x80])
        }
    }
}
