// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension AudioTapRequest {
    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.TapAudioRequest(bytes)
        let lead = wire.leadMicroseconds == 0 ? AudioTapRequest.usualLead : MediaTime.clamped(wire.leadMicroseconds)
        guard (.zero...AudioTapRequest.longestLead).contains(lead) else {
            throw .invalid("lead_us", "must be 0 … 10000000")
        }
        let start = MediaTime.clamped(wire.startMicroseconds)
        if start < .zero { throw .invalid("start_us", "is before the start of the timeline") }
        let isUnpaced = wire.unpaced
        if !isUnpaced, start > .zero { throw .invalid("start_us", "is only allowed for an unpaced tap") }
        self = AudioTapRequest(
            session: .wire(wire.sessionID),
            pace: isUnpaced ? .free(from: start) : .playhead(lead: lead)
        )
    }

    package func framed() -> [UInt8] {
        var wire = Proto.TapAudioRequest()
        wire.sessionID = session?.rawValue ?? ""
        switch pace {
        case .playhead(let lead): wire.leadMicroseconds = lead.microseconds
        case .free(let start):
            wire.unpaced = true
            wire.startMicroseconds = start.microseconds
        }
        return wire.framed()
    }
}

extension TappedAudio {
    package func framed() -> [UInt8] {
        var wire = Proto.TapAudioResponse()
        wire.timeMicroseconds = time.microseconds
        wire.samples = samples.flatMap { sample in
            let bits = sample.bitPattern
            return (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
        }
        wire.discontinuity = isDiscontinuous
        wire.skippedMicroseconds = skipped.microseconds
        wire.streamIndex = UInt32(clamping: stream)
        return wire.framed()
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.TapAudioResponse(bytes, fieldLimit: .max)
        let samples = (0..<wire.samples.count / 4).map { place in
            Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(wire.samples[place * 4 + $1]) << (8 * $1) })
        }
        self = TappedAudio(
            time: MediaTime(microseconds: wire.timeMicroseconds),
            samples: samples,
            isDiscontinuous: wire.discontinuity,
            skipped: MediaTime(microseconds: wire.skippedMicroseconds),
            stream: Int(wire.streamIndex)
        )
    }
}
