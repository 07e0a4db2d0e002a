// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

// Captions within the pictures that playback is made of: they come along with its segments, whatever the container.
//
// A unit of them is the pictures of its segment, in decoding order, whoever has read these.
extension SubtitleDecoder {
    /// How often playback is looked at before it is done without.
    static let captionPatience = 50

    /// Whether a track lies within the pictures that segments are made of.
    nonisolated func isAlongside(_ track: SubtitleTrack) -> Bool {
        track.isWithinPictures && track.stream == source.lead.stream.index && source.lead.isServed
    }

    /// Takes the captions of a segment, and decodes what is complete by it.
    func harvestCaptions(_ found: HarvestedPackets) {
        captions.set(found.packets, of: found.segment, streams: found.streams)
        for track in embedded(selected) where isAlongside(track) {
            for unit in (0...found.segment).reversed() {
                // What the plan does not reach yet, or cannot be decoded, is told to whoever asks for it.
                guard let span = try? span(of: unit, track) else { continue }
                guard span.upperBound >= found.segment else { break }
                guard !list.has(track: track.id, unit: unit), let known = known(span) else { continue }
                try? decode(unit, track, span, known)
            }
        }
        publish()
    }

    /// The captions of some segments. What has not come along is read, on a demuxer that gives way to all others.
    ///
    /// - Throws: why it cannot be read.
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
        }
        return found
    }

    /// The captions of some segments, where all are there.
    private func known(_ span: ClosedRange<Int>) -> [Int: [Packet]]? {
        var found: [Int: [Packet]] = [:]
        for unit in span {
            guard let packets = captions.packets(of: unit, stream: source.lead.stream.index) else { return nil }
            found[unit] = packets
        }
        return found
    }

    /// Gives playback some time to bring what decoding a unit takes: it has just gone where the playhead is, too.
    ///
    /// - Parameter patience: what is left of it.
    func waitForCaptions(of unit: Int, _ tracks: [SubtitleTrack], _ patience: inout Int) async {
        guard let track = tracks.first(where: { isAlongside($0) }) else { return }
        while patience > 0, !isStopped, let span = try? span(of: unit, track), let now = units.unit(at: playhead),
            span.upperBound >= now, known(max(now, span.lowerBound)...span.upperBound) == nil
        {
            patience -= 1
            try? await Task.sleep(for: .milliseconds(20))  // Cancelled: whoever waits looks at that.
        }
    }
}
