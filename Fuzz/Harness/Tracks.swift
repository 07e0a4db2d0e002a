// SPDX-License-Identifier: Apache-2.0

import EngineModel

@testable import Packaging
import Validation

/// Takes a stream from codec private data and first packets to an init segment and samples.
///
/// - Parameter bytes: pieces: the private data, then packets.
func exerciseTrack(_ codec: CodecID, _ bytes: [UInt8]) {
    let parts = pieces(bytes)
    guard let extradata = parts.first else { return }
    let packets = Array(parts.dropFirst())
    let setup = try? TrackSetup.resolve(
        codec: codec,
        timescale: 90_000,
        extradata: extradata,
        firstPackets: packets,
        video: nil,
        audio: nil,
        language: "und"
    )
    guard let setup else { return }
    let initSegment = InitSegment.bytes(for: setup.track)
    expect(initSegment.count <= 4096 + 2 * bytes.count, "an init segment of \(initSegment.count) bytes")
    let (facts, problems) = InitFacts.read(initSegment, subject: codec.rawValue)
    expect(facts.tracks.count == 1 && problems.isEmpty, "an init segment is one: \(problems)")
    _ = setup.ticksPerFrame
    for packet in packets { exerciseTransform(setup.transform, packet) }
}

/// A sample is not much longer than its packet and has the same NAL units.
func exerciseTransform(_ transform: SampleTransform, _ packet: [UInt8]) {
    guard let region = try? transform.apply(ArrayRegion(packet)) else { return }
    let sample = region.withBytes { span in span.indices.map { span[$0] } }
    expect(sample.count <= 4 * packet.count, "\(packet.count) bytes became \(sample.count)")
    guard case .nalUnits(let framing) = transform, let before = try? framing.units(in: packet.span) else { return }
    let after = (try? NALFraming.lengthPrefixed(4).units(in: sample.span)) ?? []
    expect(before.map { Array(packet[$0]) } == after.map { Array(sample[$0]) }, "NAL units changed in \(framing)")
}

/// A parameter set that arrives again is not a change, and private data made from a record or a packet can be read.
func exerciseParameterSets(_ codec: CodecID, _ bytes: [UInt8], _ framing: NALFraming) {
    let seen = ParameterSets(codec: codec, transform: .nalUnits(framing), packet: bytes.span)
    let recorded = ParameterSets(codec: codec, record: bytes)
    expect(seen.updated(with: seen) == seen, "parameter sets that are repeated are no change")
    let both = recorded.updated(with: seen)
    expect(both.updated(with: seen) == both, "parameter sets that were taken in are known")
    expect(both.privateData(codec: codec).count <= 8 * bytes.count, "private data is not longer than its sets")
}
