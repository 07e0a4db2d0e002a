// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Packaging
import Testing

@Suite(.timeLimit(.minutes(10))) struct SecondLayerTests {
    private static let disc = RPUScript.conversions[1]
    private static let delimiter = hex("460150")
    private static let slice = hex("2801ac7601d5c46d48e0")
    /// Units of the second layer: two wrapped in NAL units of type 63, and one as a NAL unit of layer 1.
    private static let layers = [hex("7e01460150"), hex("7e012801ac76"), hex("2809ac7601")]
    private static let end = hex("4801")

    private static func packet(_ units: [[UInt8]], _ framing: NALFraming) -> ArrayRegion {
        ArrayRegion(
            units.flatMap { unit -> [UInt8] in
                switch framing {
                case .annexB: return [0, 0, 0, 1] + unit
                case .lengthPrefixed(let size):
                    let places = (0..<size).reversed()
                    return places.map { (place: Int) in UInt8(truncatingIfNeeded: unit.count >> (place * 8)) } + unit
                }
            }
        )
    }

    private static func sample(_ units: [[UInt8]]) -> [UInt8] { packet(units, .lengthPrefixed(4)).bytes }

    private static func packed(
        _ units: [[UInt8]],
        _ packing: DolbyVisionPacking,
        _ surroundings: PacketSurroundings = PacketSurroundings()
    ) throws -> (bytes: [UInt8], lacksMetadata: Bool) {
        let packed = try SampleTransform.dolbyVision(packing).sample(
            of: packet(units, packing.framing),
            in: surroundings
        )
        return (ByteBody([packed.payload]).joined, packed.lacksMetadata)
    }

    @Test(
        "In any framing, the second layer is removed, RPUs are converted or removed, and all other bytes are kept",
        arguments: [NALFraming.annexB, .lengthPrefixed(4), .lengthPrefixed(2)]
    )
    func oneTrack(framing: NALFraming) throws {
        let units = [Self.delimiter, Self.slice] + Self.layers + [Self.disc.source.unit]
        let found = try Self.packed(units, DolbyVisionPacking(framing: framing, target: .profile8))
        #expect(found == (Self.sample([Self.delimiter, Self.slice, Self.disc.result.unit]), false))
        let plain = try Self.packed(units, DolbyVisionPacking(framing: framing, target: .baseLayer))
        #expect(plain == (Self.sample([Self.delimiter, Self.slice]), false))
    }

    @Test("A packet that is already a valid sample is passed on without a copy")
    func unchanged() throws {
        let packet = Self.packet([Self.slice, Self.disc.result.unit], .lengthPrefixed(4))
        let packing = DolbyVisionPacking(framing: .lengthPrefixed(4), target: .profile8)
        #expect(try SampleTransform.dolbyVision(packing).apply(packet) === packet)
    }

    @Test("Damaged RPUs are removed and reported")
    func damage() throws {
        var damaged = Self.disc.source
        damaged.damage = 1
        let packing = DolbyVisionPacking(framing: .annexB, target: .profile8)
        #expect(try Self.packed([Self.slice, damaged.unit], packing) == (Self.sample([Self.slice]), true))
        #expect(try Self.packed([Self.slice], packing) == (Self.sample([Self.slice]), true))
        #expect(throws: PackagingError.self) { try Self.packed(Self.layers, packing) }
    }

    @Test("Units after an end of sequence in the next packet are moved back to their picture")
    func rest() throws {
        let packing = DolbyVisionPacking(framing: .annexB, target: .profile8)
        let rest = [Self.end] + Self.layers + [Self.disc.source.unit]
        let next = Self.packet(rest + [Self.delimiter, Self.slice], .annexB)
        let found = try Self.packed([Self.slice], packing, PacketSurroundings(next: next))
        #expect(found == (Self.sample([Self.slice, Self.end, Self.disc.result.unit]), false))
        let following = try SampleTransform.dolbyVision(packing).sample(of: next, in: PacketSurroundings())
        #expect(ByteBody([following.payload]).joined == Self.sample([Self.delimiter, Self.slice]))
        #expect(SampleTransform.dolbyVision(packing).isRest(Self.packet(rest, .annexB)))
        #expect(!SampleTransform.dolbyVision(packing).isRest(next))
    }

    @Test("RPUs of a second track are moved to their picture, before an end of sequence")
    func twoTracks() throws {
        let packing = DolbyVisionPacking(framing: .lengthPrefixed(4), target: .profile8, companion: .annexB)
        let layer = Self.packet([Self.delimiter, Self.slice, Self.disc.source.unit], .annexB)
        let found = try Self.packed([Self.slice, Self.end], packing, PacketSurroundings(companion: layer))
        #expect(found == (Self.sample([Self.slice, Self.disc.result.unit, Self.end]), false))
        let split = PacketSurroundings(
            companion: Self.packet([Self.delimiter, Self.slice], .annexB),
            companionNext: Self.packet([Self.end, Self.disc.source.unit, Self.delimiter, Self.slice], .annexB)
        )
        #expect(
            try Self.packed([Self.slice], packing, split).bytes == Self.sample([Self.slice, Self.disc.result.unit])
        )
        #expect(try Self.packed([Self.slice], packing).lacksMetadata)
    }

    @Test("A second layer is detected from the NAL units, whatever is declared")
    func source() throws {
        func source(_ units: [[UInt8]], declared: Int? = nil) -> DolbyVisionSource {
            let record = declared.map { DolbyVisionConfiguration(profile: $0, level: 9, compatibility: 1) }
            return DolbyVisionSource(packets: [Self.packet(units, .annexB).bytes], framing: .annexB, declared: record)
        }
        let disc = source([Self.slice, Self.disc.source.unit], declared: 8)
        #expect(disc.metadata == .seven(isMinimal: true) && disc.hasSecondLayer)
        let video = VideoProperties()
        #expect(disc.configuration(of: video).profile == 7 && disc.configuration(of: video).level == 9)
        #expect(source([Self.slice, Self.disc.result.unit]).hasSecondLayer == false)
        #expect(source([Self.slice, Self.disc.result.unit], declared: 7).hasSecondLayer)
        #expect(source([Self.slice, Self.disc.result.unit] + Self.layers).hasSecondLayer)
        #expect(source([Self.slice, hex("7c0119ffff80")]).damagedUnits == 1)
        #expect(
            source([Self.slice, RPUScript(name: "", rpuProfile: 0, isFullRange: true).unit]).hasSecondLayer == false
        )
    }

    @Test("Randomly changed packets give a sample or a typed error")
    func mutation() {
        var random = SplitMix(state: 7)
        let bytes = Self.sample([Self.delimiter, Self.slice] + Self.layers + [Self.disc.source.unit, Self.end])
        for _ in 0..<3000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                changed[Int.random(in: 0..<changed.count, using: &random)] ^=
                    1 << UInt8.random(in: 0..<8, using: &random)
            }
            for target in [DolbyVisionPacking.Target.profile8, .baseLayer] {
                let packing = DolbyVisionPacking(framing: .lengthPrefixed(4), target: target, companion: .annexB)
                let region = ArrayRegion(changed)
                let around = PacketSurroundings(next: region, companion: region, companionNext: region)
                _ = try? SampleTransform.dolbyVision(packing).sample(of: region, in: around)
                _ = SampleTransform.dolbyVision(packing).isRest(region)
            }
        }
    }
}
