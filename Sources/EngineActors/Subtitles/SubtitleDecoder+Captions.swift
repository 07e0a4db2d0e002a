// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Reading

// Captions in the pictures of the served video. They arrive with playback's segments, whatever the container.
//
// A caption unit holds the captions of its segment's pictures in decoding order, whether playback or this decoder read
// them.
extension SubtitleDecoder {
    /// How long to wait for captions from playback before reading them here, in nanoseconds.
    static let captionPatience: Int64 = 1_000_000_000

    /// Whether a track's captions are in the video that segments are made of.
    package nonisolated func isAlongside(_ track: SubtitleTrack) -> Bool {
        track.isWithinPictures && track.stream == source.lead.stream.index && source.lead.isServed
    }

    /// Takes the captions of a segment, and decodes each unit for which everything has now arrived.
    func harvestCaptions(_ found: HarvestedPackets) {
        captions.set(found.packets, of: found.segment, streams: found.streams)
        arrivals.signal()
        for track in embedded(selected) where isAlongside(track) {
            for unit in (0...found.segment).reversed() {
                // Errors are ignored here: a request for these cues fails with the same error.
                // The plan may not reach that far yet.
                guard let span = try? span(of: unit, track) else { continue }
                guard span.upperBound >= found.segment else { break }
                guard !list.has(track: track.id, unit: unit), let known = known(span) else { continue }
                try? decode(unit, track, span, known)
            }
        }
        publish()
    }

    /// The captions of some segments. Those that playback has not delivered are read with a demuxer on a low-priority
    /// thread.
    ///
    /// - Throws: why they cannot be read.
    func captions(of span: ClosedRange<Int>) async throws(EngineError) -> [Int: [Packet]] {
        var found: [Int: [Packet]] = [:]
        for unit in span {
            let lead = source.lead.stream.index
            if let known = captions.packets(of: unit, stream: lead) {
                found[unit] = known
                continue
            }
            await giveWay()
            guard !isStopped else { throw EngineError(.cancelled, "the session was stopped") }
            let demuxer = pictures ?? Demuxer(name: "captions", source: source, niceness: 5)
            pictures = demuxer
            let material = try await demuxer.read(
                segment: unit,
                of: units.plan,
                trackEnds: source.tracks.map { _ in nil },
                active: [0],
                subtitles: [lead]
            )
            found[unit] = material.captions ?? []
            captions.set(material.captions ?? [], of: unit, streams: [lead])
            arrivals.signal()
        }
        return found
    }

    /// The captions of some segments. `nil` unless all have arrived.
    private func known(_ span: ClosedRange<Int>) -> [Int: [Packet]]? {
        var found: [Int: [Packet]] = [:]
        for unit in span {
            guard let packets = captions.packets(of: unit, stream: source.lead.stream.index) else { return nil }
            found[unit] = packets
        }
        return found
    }

    /// Gives playback some time to deliver what decoding a unit needs, since it reads around the playhead, too.
    ///
    /// - Parameter patience: how long to wait at most, in nanoseconds. The time that this takes is subtracted.
    func waitForCaptions(of unit: Int, _ tracks: [SubtitleTrack], _ patience: inout Int64) async {
        guard let track = tracks.first(where: { isAlongside($0) }) else { return }
        let start = monotonicNanoseconds()
        let deadline = start + patience
        while monotonicNanoseconds() < deadline, !isStopped, !Task.isCancelled {
            let visit = arrivals.visit
            guard areCaptionsExpected(of: unit, track) else { break }
            await arrivals.wait(after: visit, until: deadline)
        }
        patience = max(0, patience - (monotonicNanoseconds() - start))
    }

    /// Whether playback will read what decoding a unit needs, because that is at the playhead or after it.
    private func areCaptionsExpected(of unit: Int, _ track: SubtitleTrack) -> Bool {
        guard let span = try? span(of: unit, track), let now = units.unit(at: playhead), span.upperBound >= now
        else { return false }
        return known(max(now, span.lowerBound)...span.upperBound) == nil
    }
}
