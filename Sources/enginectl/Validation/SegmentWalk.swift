// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Foundation
internal import EngineClient
internal import Packaging
internal import Validation

/// Checks the segments of one media playlist in order.
struct SegmentWalk {
    private static let initLimit = 16 << 20

    private let uri: String
    private let base: URL
    private let client: EngineClient?
    private let fetcher: ResourceFetcher
    private let decoding: DecodingCheck
    /// The previous segment and the decoder's report on it alone. `nil` at the start, and where the init segment
    /// changes.
    private var before: (bytes: [UInt8], report: SegmentReport)?
    private var initBytes: [UInt8] = []
    private var initFacts = InitFacts()
    private var initMap: ParsedPlaylist.Map?
    private var decodedFrames = 0
    private var text = TextTimelineCheck()
    private var ownProblems: [ValidationProblem] = []

    /// The number of segments checked.
    private(set) var done = 0
    /// What the tracks of all init segments demand of decoders.
    private(set) var demands: Set<DecoderDemand> = []
    private(set) var timeline: TimelineCheck

    /// - Parameter isIndependent: whether the master playlist or this playlist has EXT-X-INDEPENDENT-SEGMENTS.
    init(
        _ playlist: ParsedPlaylist,
        base: URL,
        client: EngineClient?,
        fetcher: ResourceFetcher,
        isIndependent: Bool,
        precision: TimelineCheck.Precision
    ) {
        decoding = DecodingCheck(isIndependent: isIndependent)
        uri = playlist.uri
        self.base = base
        self.client = client
        self.fetcher = fetcher
        timeline = TimelineCheck(
            playlist: uri,
            targetDuration: playlist.targetDuration ?? 0,
            precision: precision
        )
    }

    var problems: [ValidationProblem] { ownProblems + timeline.problems + text.problems }

    func summary(duration: Double) -> ValidationReport.Playlist {
        ValidationReport.Playlist(
            uri: uri,
            segments: done,
            duration: duration,
            byteCount: timeline.byteCount,
            peakBitRate: timeline.peakBitRate,
            decodedFrames: decodedFrames,
            cues: text.cues.count
        )
    }

    /// Fetches and checks the next segment. A failed fetch is reported as a problem and does not end the walk.
    mutating func step(_ playlist: ParsedPlaylist) async throws {
        let segment = playlist.segments[done]
        done += 1
        do {
            try await prepareInit(of: segment, in: playlist)
            let bytes = try await fetch(segment.uri, segment.byteRange, limit: ResourceFetcher.segmentLimit)
            if bytes.isEmpty { return note("RFC 8216 §3", segment.uri, "it is empty") }
            if segment.map == nil, TextSegmentFacts.claims(bytes) { return check(text: bytes, segment) }
            guard initMap != nil else {
                return note("RFC 8216 §3", segment.uri, "only WebVTT, and fMP4 with an EXT-X-MAP, are checked")
            }
            let (facts, found) = FragmentFacts.read(bytes, initFacts: initFacts, subject: segment.uri)
            ownProblems += found
            // A segment without samples is a gap.
            if playlist.isKeyframesOnly, facts.count != 1 || facts[0].samples > 1 {
                note("RFC 8216 §4.3.3.6", segment.uri, "it is not one frame")
            }
            timeline.add(
                segment,
                byteCount: bytes.count,
                facts: facts,
                initFacts: initFacts,
                isIndependent: true
            )
            if found.isEmpty { try await decode(bytes, segment) }
        } catch let failure as Failure {
            note("RFC 8216 §3", segment.uri, failure.message)
        }
    }

    private mutating func check(text bytes: [UInt8], _ segment: ParsedPlaylist.Segment) {
        let (facts, found) = TextSegmentFacts.read(bytes, subject: segment.uri)
        ownProblems += found
        text.add(segment, facts)
        timeline.add(segment, byteCount: bytes.count, facts: [], initFacts: InitFacts(), isIndependent: true)
    }

    private mutating func prepareInit(of segment: ParsedPlaylist.Segment, in playlist: ParsedPlaylist) async throws {
        guard let index = segment.map, initMap != playlist.maps[index] else { return }
        let map = playlist.maps[index]
        initMap = map
        before = nil
        initFacts = InitFacts()
        initBytes = try await fetch(map.uri, map.byteRange, limit: Self.initLimit)
        let (facts, found) = InitFacts.read(initBytes, subject: map.uri)
        initFacts = facts
        demands.formUnion(facts.tracks.compactMap(\.demand))
        ownProblems += found
    }

    /// Decodes a segment as a player does after a seek. Any decoder error is a problem.
    private mutating func decode(_ bytes: [UInt8], _ segment: ParsedPlaylist.Segment) async throws {
        guard let client else { return }
        var report: SegmentReport
        do throws(EngineClientError) {
            let alone = try await client.inspectSegment(initBytes + bytes)
            report = alone
            if let before, decoding.needsEarlierSegment(alone) {
                let joined = try await client.inspectSegment(initBytes + before.bytes + bytes)
                report = DecodingCheck.added(by: alone, in: joined, after: before.report)
            }
            before = (bytes, alone)
        } catch {
            guard !error.isConnectionLoss else { throw error }
            return note("decoding", segment.uri, error.description)
        }
        ownProblems += decoding.problems(of: report, segment.uri)
        decodedFrames += report.tracks.reduce(0) { $0 + ($1.packets > 0 ? $1.decodedFrames : 0) }
    }

    private func fetch(_ uri: String, _ slice: ParsedPlaylist.ByteSlice?, limit: Int) async throws -> [UInt8] {
        guard let url = URL(string: uri, relativeTo: base) else { throw Failure(.failed, "\"\(uri)\" is not a URI") }
        let bytes = try await fetcher.fetch(url, limit: limit)
        guard let slice else { return bytes }
        let (end, overflows) = slice.offset.addingReportingOverflow(slice.length)
        guard !overflows, end <= bytes.count else {
            throw Failure(.failed, "its byte range exceeds the \(bytes.count) bytes of the resource")
        }
        return Array(bytes[slice.offset..<end])
    }

    private mutating func note(_ rule: String, _ subject: String, _ message: String) {
        ownProblems.append(ValidationProblem(rule, subject, message))
    }
}
