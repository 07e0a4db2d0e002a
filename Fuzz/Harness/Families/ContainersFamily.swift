// SPDX-License-Identifier: Apache-2.0

import EngineModel

@testable import Packaging
@testable import Validation

/// The input is pieces: an init segment and a media segment. The whole input is also taken as an MP4 file and as a
/// Matroska cluster.
func exerciseContainers(_ bytes: [UInt8]) {
    _ = EditLists.areSimple(inMovie: bytes)
    for samples in [0, 1, 250] {
        let offsets = CompositionOffsets.find(inMovie: bytes, trackNumber: 0, sampleCount: samples)
        expect(offsets.map { $0.offsets.isEmpty || $0.offsets.count == samples } ?? true, "one offset a sample")
        expect(offsets?.decodeShift ?? 0 >= 0, "decode times move one way")
    }
    if let runs = SampleDescriptions.find(inMovie: bytes, trackNumber: 0, codec: .h264)?.runs {
        expect(zip(runs, runs.dropFirst()).allSatisfy { $0.firstSample < $1.firstSample }, "descriptions come in order")
    }
    exerciseCluster(bytes)
    exerciseCues(bytes)
    exerciseSearch(bytes)
    exerciseEnds(bytes)
    exerciseFragments(bytes)
    expect(MovieProtection(movie: bytes).ofTrack(0)?.keyID.utf8.count ?? 0 <= 32, "a key ID has 16 bytes")
    expect(MatroskaProtection.find(in: bytes).values.allSatisfy { $0.keyID.utf8.count <= 128 }, "key IDs have a limit")
    _ = try? BoxNode.read(bytes)
    let parts = pieces(bytes, limit: 2)
    guard parts.count == 2 else { return }
    let (facts, _) = InitFacts.read(parts[0], subject: "init")
    let (fragments, problems) = FragmentFacts.read(parts[1], initFacts: facts, subject: "segment")
    expect(problems.count <= 51, "a segment has \(problems.count) problems")
    var check = TimelineCheck(playlist: "playlist", targetDuration: 4)
    for duration in [4.0, 0.0] {
        check.add(
            ParsedPlaylist.Segment(uri: "segment", duration: duration, isDiscontinuous: false),
            byteCount: parts[1].count,
            facts: fragments,
            initFacts: facts,
            isIndependent: true
        )
    }
}

private func exerciseCluster(_ bytes: [UInt8]) {
    var reads = 0
    let blocks = MatroskaCluster.keyframes(at: 0, clusterAt: 0) { offset, count in
        reads += 1
        guard offset >= 0, offset < bytes.count else { return [] }
        return Array(bytes[Int(offset)...].prefix(count))
    }
    expect(reads <= 4096 * 64, "a cluster is read in \(reads) reads")
    expect(blocks.allSatisfy { $0.payloadByteCount >= 0 && $0.payloadOffset >= 0 }, "blocks lie in the file")
}

private func exerciseSearch(_ bytes: [UInt8]) {
    var search = MatroskaSearch(byteCount: Int64(bytes.count), head: bytes)
    for time in [0, 1000, Int64.max] {
        let found = search.keyframe(of: 0, atOrBefore: time) { offset, count in
            expect(offset >= 0 && count <= 32 << 10, "reads lie in a file and have a limit")
            guard offset < bytes.count else { return [] }
            return Array(bytes[Int(offset)...].prefix(count))
        }
        expect(found.map { $0.time <= time && (0..<Int64(bytes.count)).contains($0.cluster) } ?? true, "found in time")
    }
}

/// What the beginning of a file states about its end.
private func exerciseEnds(_ bytes: [UInt8]) {
    for count in [Int64(bytes.count), 1 << 20] {
        guard let end = MatroskaEnd(head: bytes, fileByteCount: count) else { continue }
        expect(end.cues.upperBound == count && end.cues.lowerBound >= 0, "Cues lie in the file")
        expect(end.lastSecond.map { $0.lowerBound >= 0 && $0.upperBound == end.cues.lowerBound } ?? true, "Cues follow")
    }
    let span = bytes.span
    for index in span.boxes("sidx", in: 0..<span.count, limit: 4) {
        let start = index.lowerBound - 8
        let end = SegmentIndex.end(inBox: Array(bytes[start..<index.upperBound]), at: Int64(start))
        expect(end.map { $0 >= Int64(index.upperBound) } ?? true, "fragments follow their index")
    }
}

/// The input is an MP4 file in fragments.
private func exerciseFragments(_ bytes: [UInt8]) {
    let span = bytes.span
    guard let moov = span.box("moov", in: 0..<span.count),
        let movie = FragmentedMovie(movie: bytes)
    else { return }
    let start = Int64(moov.upperBound)
    var search = FragmentSearch(of: movie, from: start, byteCount: Int64(bytes.count))
    var reads = 0
    func read(_ offset: Int64, _ count: Int) -> [UInt8] {
        reads += 1
        expect(reads <= 1 << 18, "a search ends")
        expect(offset >= 0 && count <= 4 << 20, "reads lie in a file and have a limit")
        guard offset < bytes.count else { return [] }
        return Array(bytes[Int(offset)...].prefix(count))
    }
    for track in movie.tracks.keys.sorted().prefix(4) {
        for time in [0, 1000, Int64.max] {
            reads = 0
            let found = search.fragment(of: track, atOrBefore: time, read: read)
            expect(found.map { (start..<Int64(bytes.count)).contains($0) } ?? true, "a fragment lies after the header")
        }
    }
    reads = 0
    expect(search.ends(read: read).values.allSatisfy { $0 >= 0 }, "tracks end after their start")
}

private func exerciseCues(_ bytes: [UInt8]) {
    let cues = MatroskaCues { offset, count in
        expect(offset >= 0 && count <= 64 << 20, "reads lie in a file and have a limit")
        guard offset < bytes.count else { return [] }
        return Array(bytes[Int(offset)...].prefix(count))
    }
    for (_, entries) in cues.entries {
        var spans = LongSpans(longerThan: 20_000, isReplaced: entries.count % 2 == 0)
        for entry in entries { spans.add(at: entry.time, lasting: entry.duration, position: entry.position) }
        let on = spans.on(at: 1 << 40)
        expect(on.count <= 64 && on.allSatisfy { $0.start < 1 << 40 && $0.end > 1 << 40 }, "what is on is on")
    }
}
