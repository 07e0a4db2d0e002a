// SPDX-License-Identifier: Apache-2.0

internal import Packaging

/// The contents of a media segment for one track, over all its fragments.
package struct FragmentFacts: Hashable, Sendable {
    package var track: UInt32
    /// The sequence numbers of `mfhd`, in order.
    package var sequenceNumbers: [UInt32] = []
    /// `tfdt` of the first fragment, in ticks.
    package var decodeTime: UInt64
    /// Sum of all sample durations, in ticks.
    package var duration: UInt64 = 0
    /// The part of `duration` that the edit list hides because it precedes the presentation start, in ticks.
    package var hidden: UInt64 = 0
    package var longestSample: UInt64 = 0
    package var samples = 0
    package var beginsWithSync = false
    /// Composition offset of the first sample, in ticks.
    package var firstOffset: Int64 = 0
    /// The earliest composition time of a sample, in ticks.
    package var earliest: Int64

    /// The maximum number of samples read from one segment.
    private static let sampleLimit = 1_000_000

    /// Parses a media segment and checks it against its init segment (ISO/IEC 14496-12 §8.8, §8.16).
    package static func read(
        _ bytes: [UInt8],
        initFacts: InitFacts,
        subject: String
    ) -> (facts: [FragmentFacts], problems: [ValidationProblem]) {
        var reader = FragmentReader(bytes: bytes, initFacts: initFacts, subject: subject)
        reader.read()
        return (reader.facts, reader.problems)
    }

    private struct FragmentReader {
        let bytes: [UInt8]
        let initFacts: InitFacts
        let subject: String
        var facts: [FragmentFacts] = []
        var problems: [ValidationProblem] = []
        private var lastSequence: UInt32?
        private var samplesLeft = FragmentFacts.sampleLimit

        init(bytes: [UInt8], initFacts: InitFacts, subject: String) {
            self.bytes = bytes
            self.initFacts = initFacts
            self.subject = subject
        }

        mutating func read() {
            do throws(PackagingError) {
                let boxes = try BoxNode.read(bytes)
                if boxes.contains(where: { $0.type == "moov" }) { note("8.8", "a media segment contains a moov") }
                let moofs = boxes.indices.filter { boxes[$0].type == "moof" }
                if moofs.isEmpty { note("8.8.4", "there is no moof") }
                for index in moofs {
                    let data = boxes[index...].dropFirst().prefix { $0.type != "moof" }.filter { $0.type == "mdat" }
                    try read(boxes[index], data: data)
                }
            } catch {
                note("4.2", error.message)
            }
        }

        private mutating func read(_ moof: BoxNode, data: [BoxNode]) throws(PackagingError) {
            guard let mfhd = moof.first("mfhd") else { return note("8.8.5", "a moof has no mfhd") }
            var header = try mfhd.fields(bytes)
            try header.skip(4)
            let sequence = try header.uint32()
            if let last = lastSequence, sequence <= last {
                note("8.8.5", "sequence number \(sequence) follows \(last)")
            }
            lastSequence = sequence
            if data.isEmpty { note("8.1.1", "a moof has no mdat after it") }
            var used = 0
            for traf in moof.all("traf") { used += try read(traf, in: moof, sequence: sequence, data: data) }
            let available = data.reduce(0) { $0 + $1.payload.count }
            if used != available { note("8.8.8", "the samples have \(used) bytes, the mdat \(available)") }
        }

        /// Returns the total size of the samples in bytes.
        private mutating func read(
            _ traf: BoxNode,
            in moof: BoxNode,
            sequence: UInt32,
            data: [BoxNode]
        ) throws(PackagingError) -> Int {
            guard let tfhd = traf.first("tfhd"), let tfdt = traf.first("tfdt") else {
                note("8.8.12", "a traf lacks tfhd or tfdt")
                return 0
            }
            var header = try TrackFragmentHeader(tfhd, bytes)
            guard let track = initFacts.tracks.first(where: { $0.id == header.track }) else {
                note("8.8.7", "track \(header.track) is not in the init segment")
                return 0
            }
            header.inherit(track)
            if !header.baseIsMoof { note("8.8.7", "default-base-is-moof is not set") }
            var time = try tfdt.fields(bytes)
            let version = try time.byte()
            try time.skip(3)
            let decodeTime = try time.number(byteCount: version == 1 ? 8 : 4)
            if decodeTime > UInt64(Int64.max) { note("8.8.12", "the decode time \(decodeTime) exceeds 63 bits") }

            var run = FragmentFacts(track: header.track, decodeTime: decodeTime, earliest: .max)
            run.sequenceNumbers = [sequence]
            var used = 0
            for trun in traf.all("trun") {
                let (size, start) = try read(trun, header, from: track.presentationStart, into: &run)
                used += size
                let offset = moof.range.lowerBound + (start ?? 0)
                let isInside = data.contains {
                    $0.payload.lowerBound <= offset && offset + size <= $0.payload.upperBound
                }
                if start != nil, !isInside { note("8.8.8", "a trun points outside the mdat") }
            }
            // A track may have no samples in a segment, for example audio that starts late or has a gap.
            if run.samples == 0, used != 0 { note("8.8.8", "a traf has no sample") }
            join(run)
            return used
        }

        private mutating func read(
            _ trun: BoxNode,
            _ header: TrackFragmentHeader,
            from presentationStart: Int64,
            into run: inout FragmentFacts
        ) throws(PackagingError) -> (size: Int, offset: Int?) {
            var reader = try trun.fields(bytes)
            let flags = try reader.uint32() & 0xFFFFFF
            let count = Int(try reader.uint32())
            guard count <= samplesLeft else {
                throw PackagingError(.limitExceeded, "a trun has \(count) samples, \(samplesLeft) more are allowed")
            }
            samplesLeft -= count
            let offset = flags & 0x1 != 0 ? Int(Int32(bitPattern: try reader.uint32())) : nil
            let firstFlags = flags & 0x4 != 0 ? try reader.uint32() : nil
            var size = 0
            for index in 0..<count {
                let duration = flags & 0x100 != 0 ? try reader.uint32() : header.duration
                size += Int(flags & 0x200 != 0 ? try reader.uint32() : header.size)
                var sampleFlags = flags & 0x400 != 0 ? try reader.uint32() : header.flags
                let offset = flags & 0x800 != 0 ? Int64(Int32(bitPattern: try reader.uint32())) : 0
                if run.samples == 0 { run.firstOffset = offset }
                if index == 0, let firstFlags { sampleFlags = firstFlags }
                // sample_is_non_sync_sample (§8.8.3.1).
                if run.samples == 0 { run.beginsWithSync = sampleFlags & 0x1_0000 == 0 }
                run.samples += 1
                let decodeTime = Int64(clamping: run.decodeTime &+ run.duration)
                run.earliest = min(run.earliest, decodeTime &+ offset)
                let before = presentationStart &- (decodeTime &+ offset)
                run.hidden += UInt64(min(max(0, before), Int64(duration)))
                run.duration += UInt64(duration)
                run.longestSample = max(run.longestSample, UInt64(duration))
            }
            if !reader.isAtEnd { note("8.8.8", "a trun has \(reader.remaining) extra bytes") }
            return (size, offset)
        }

        /// Merges a fragment into the facts of its track.
        private mutating func join(_ run: FragmentFacts) {
            guard let index = facts.firstIndex(where: { $0.track == run.track }) else { return facts.append(run) }
            if facts[index].decodeTime &+ facts[index].duration != run.decodeTime {
                note("8.8.12", "a fragment's tfdt does not match the end of the previous fragment")
            }
            facts[index].sequenceNumbers += run.sequenceNumbers
            facts[index].duration += run.duration
            facts[index].hidden += run.hidden
            facts[index].earliest = min(facts[index].earliest, run.earliest)
            facts[index].longestSample = max(facts[index].longestSample, run.longestSample)
            facts[index].samples += run.samples
        }

        private mutating func note(_ section: String, _ message: String) {
            guard problems.count < 50 else { return }
            problems.append(ValidationProblem("ISO/IEC 14496-12 §\(section)", subject, message))
        }
    }
}

/// `tfhd` (§8.8.7): the defaults of a fragment.
struct TrackFragmentHeader {
    let track: UInt32
    let baseIsMoof: Bool
    private var givenDuration: UInt32?
    private var givenSize: UInt32?
    private var givenFlags: UInt32?
    private(set) var duration: UInt32 = 0
    private(set) var size: UInt32 = 0
    private(set) var flags: UInt32 = 0

    init(_ box: BoxNode, _ bytes: [UInt8]) throws(PackagingError) {
        var reader = try box.fields(bytes)
        let boxFlags = try reader.uint32() & 0xFFFFFF
        track = try reader.uint32()
        baseIsMoof = boxFlags & 0x20000 != 0
        if boxFlags & 0x1 != 0 { try reader.skip(8) }
        if boxFlags & 0x2 != 0 { try reader.skip(4) }
        if boxFlags & 0x8 != 0 { givenDuration = try reader.uint32() }
        if boxFlags & 0x10 != 0 { givenSize = try reader.uint32() }
        if boxFlags & 0x20 != 0 { givenFlags = try reader.uint32() }
    }

    mutating func inherit(_ track: InitFacts.Track) {
        duration = givenDuration ?? track.defaultDuration
        size = givenSize ?? track.defaultSize
        flags = givenFlags ?? track.defaultFlags
    }
}
