// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// A CMAF segment of one chunk or several. Each chunk is a `styp`, a `moof` and an `mdat` (ISO/IEC 14496-12 §8.8,
/// §8.16.2).
package enum MediaSegment {
    /// A segment of one chunk: its boxes, followed by the samples' payloads by reference, in order. No payload is
    /// copied.
    ///
    /// Deterministic: the same arguments always give the same bytes.
    ///
    /// - Parameters:
    ///   - sequenceNumber: for `mfhd`; above 0, and higher for each later chunk.
    ///   - samples: in decoding order. If empty, the segment is marked as empty (`duration-is-empty`).
    ///   - decodeTime: the time of a segment without samples, because players require `tfdt`.
    package static func body(
        sequenceNumber: UInt32,
        track: Track,
        samples: [Sample],
        emptyAt decodeTime: Int64 = 0
    ) -> ByteBody {
        var payloadByteCount: UInt64 = 0
        for sample in samples { payloadByteCount &+= UInt64(sample.payload.byteCount) }
        let hasLargeSize = payloadByteCount > UInt64(UInt32.max) - 8
        let dataHeaderByteCount = hasLargeSize ? 16 : 8

        var writer = BoxWriter(capacity: 160 + samples.count * 16)
        writer.box("styp") { box in
            box.type("msdh")
            box.uint32(0)
            for brand: BoxType in ["msdh", "cmfs", "cmff"] { box.type(brand) }
        }
        let start = writer.bytes.count
        var dataOffsetPosition: Int?
        writer.box("moof") { box in
            box.fullBox("mfhd") { $0.uint32(sequenceNumber) }
            box.box("traf") { dataOffsetPosition = TrackFragment(samples).write(to: &$0, emptyAt: decodeTime) }
        }
        if let dataOffsetPosition {
            writer.patch(UInt32(clamping: writer.bytes.count - start + dataHeaderByteCount), at: dataOffsetPosition)
        }
        if hasLargeSize {
            writer.uint32(1)
            writer.type("mdat")
            writer.uint64(payloadByteCount &+ 16)
        } else {
            writer.uint32(UInt32(clamping: payloadByteCount &+ 8))
            writer.type("mdat")
        }
        var regions: [any ByteRegion] = []
        regions.reserveCapacity(samples.count + 1)
        regions.append(ArrayRegion(writer.bytes))
        for sample in samples where sample.payload.byteCount > 0 { regions.append(sample.payload) }
        return ByteBody(regions)
    }

    /// A segment of several chunks, each of which is a part (draft-pantos-hls-rfc8216bis §4.4.4.9).
    ///
    /// - Parameters:
    ///   - number: of the segment.
    ///   - lines: the decode times at which the parts after the first one begin, ascending.
    ///   - decodeTime: the start of the first part, as in the other method.
    package static func body(
        number: Int,
        track: Track,
        samples: [Sample],
        dividedAt lines: [Int64],
        emptyAt decodeTime: Int64
    ) -> ByteBody {
        var rest = samples[...]
        var regions: [any ByteRegion] = []
        for part in 0...lines.count {
            let chunk = part < lines.count ? rest.prefix { $0.decodeTime < lines[part] } : rest
            rest = rest.dropFirst(chunk.count)
            regions +=
                body(
                    // A segment has at most a few hundred parts: it lasts less than a minute.
                    sequenceNumber: UInt32(clamping: number << 10 + part + 1),
                    track: track,
                    samples: Array(chunk),
                    emptyAt: part == 0 ? decodeTime : lines[part - 1]
                ).regions
        }
        return ByteBody(regions)
    }
}
