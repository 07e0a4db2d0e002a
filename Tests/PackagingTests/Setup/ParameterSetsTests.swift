// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Packaging

@Suite("Parameter sets in packets and records")
struct ParameterSetsTests {
    private func sets(_ codec: CodecID, _ framing: NALFraming, _ packet: [UInt8]) -> ParameterSets {
        ParameterSets(codec: codec, transform: .nalUnits(framing), packet: packet.span)
    }

    private func units(_ units: [UInt8]...) -> [UInt8] { units.flatMap { [0, 0, 0, 1] + $0 } }

    private let sequence: [UInt8] = [0x67, 1, 2]
    private let slice: [UInt8] = [0x65, 0x88, 0x80]

    @Test("A packet gives the same sets as the stream's record", arguments: [Specimen.avcAnnexB, .hevcAnnexB])
    func packetAndRecord(_ specimen: Specimen) throws {
        let found = sets(specimen.codec, .annexB, specimen.packet)
        #expect(!found.isEmpty)
        let record = try specimen.resolve().track.configuration
        #expect(found == ParameterSets(codec: specimen.codec, record: record))
        #expect(found.updated(with: found) == found)
    }

    @Test("AV1: the sequence header in a packet is the one in the record")
    func sequenceHeader() throws {
        let specimen = Specimen.av1
        let packet = ParameterSets(codec: .av1, transform: .openBitstreamUnits, packet: specimen.packet.span)
        #expect(!packet.isEmpty)
        let data = packet.privateData(codec: .av1)
        #expect(ParameterSets(codec: .av1, record: data) == packet)
    }

    @Test(
        "Private data gives the same track as the packets",
        arguments: [Specimen.avcAnnexB, .hevcAnnexB, .av1]
    )
    func privateData(_ specimen: Specimen) throws {
        var inBand = specimen
        inBand.extradata = []
        let setup = try inBand.resolve()
        let found = ParameterSets(codec: specimen.codec, transform: setup.transform, packet: specimen.packet.span)
        var other = specimen
        other.extradata = found.privateData(codec: specimen.codec)
        #expect(try other.resolve().track.configuration == setup.track.configuration)
    }

    @Test(
        "Private data declares the framing, even in a record whose sets are truncated",
        arguments: [Specimen.avc, .hevc]
    )
    func framing(_ specimen: Specimen) {
        var record = Array(specimen.extradata.prefix(23))
        #expect(NALFraming(codec: specimen.codec, extradata: specimen.extradata) == .lengthPrefixed(4))
        #expect(ParameterSets(codec: specimen.codec, record: record).isEmpty)
        record[specimen.codec == .h264 ? 4 : 21] &= ~3
        #expect(NALFraming(codec: specimen.codec, extradata: record) == .lengthPrefixed(1))
        #expect(NALFraming(codec: specimen.codec, extradata: units(sequence, slice)) == .annexB)
        #expect(NALFraming(codec: specimen.codec, extradata: []) == .annexB)
    }

    @Test("A malformed packet has no units to search, and does not become a sample")
    func damaged() {
        let cut: [UInt8] = [0, 0, 0, 9, 0x67, 1]
        #expect(NALFraming.lengthPrefixed(4).unitsToSearch(in: cut.span) == nil)
        #expect(throws: PackagingError.self) { try NALFraming.lengthPrefixed(4).units(in: cut.span) }
        // An OBU of nine bytes.
        let unit: [UInt8] = [0x0A, 9, 1]
        #expect(AV1Units.unitsToSearch(in: unit.span).isEmpty && AV1Units.leadingUnit(in: unit.span, at: 0) != nil)
        #expect(throws: PackagingError.self) { try AV1Units.units(in: unit.span) }
    }

    @Test("Sets after the first slice and truncated sets are ignored")
    func search() {
        #expect(sets(.h264, .annexB, units(slice, sequence)).isEmpty)
        #expect(sets(.h264, .lengthPrefixed(4), [0, 0, 1, 0, 0x67, 1, 2]).sequence == [sequence])
        let long = units([0x67] + [UInt8](repeating: 7, count: 20_000), slice)
        #expect(sets(.h264, .annexB, long).isEmpty)
    }

    @Test("A new sequence set replaces all sets; a new picture set replaces only the set with the same id")
    func updates() {
        // The first codes 1, 010 and 011 are ids 0, 1 and 2.
        let (zero, one, otherZero): ([UInt8], [UInt8], [UInt8]) = ([0x68, 0x80], [0x68, 0x40], [0x68, 0xC0])
        let first = sets(.h264, .annexB, units(sequence, zero, one, slice))
        #expect(first.updated(with: sets(.h264, .annexB, units(one, slice))) == first)
        let picture = first.updated(with: sets(.h264, .annexB, units(otherZero, slice)))
        #expect(picture.sequence == [sequence] && picture.picture == [otherZero, one])
        let other: [UInt8] = [0x67, 9]
        let all = first.updated(with: sets(.h264, .annexB, units(other, otherZero, slice)))
        #expect(all.sequence == [other] && all.picture == [otherZero])
    }

    @Test("Arbitrary bytes do not trap", arguments: 0..<60)
    func garbage(seed: Int) {
        var generator = SplitMix(state: UInt64(seed))
        let specimens = [Specimen.avcAnnexB, .avc, .hevcAnnexB, .hevc, .av1]
        var packet = specimens[seed % specimens.count].packet
        for _ in 0..<4 {
            packet[Int.random(in: 0..<packet.count, using: &generator)] = .random(in: 0...255, using: &generator)
        }
        packet.removeLast(Int.random(in: 0..<packet.count, using: &generator))
        for framing in [NALFraming.annexB, .lengthPrefixed(4), .lengthPrefixed(1)] {
            for codec in [CodecID.h264, .hevc, .av1] {
                let found = sets(codec, framing, packet)
                #expect(found.updated(with: found) == found)
                _ = ParameterSets(codec: codec, record: packet)
            }
        }
    }
}
