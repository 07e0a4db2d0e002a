// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
package import EngineModel

extension Engine__V1__TapAudioRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__tap_audio_request__init(pointer)
    }
}

extension Engine__V1__TapAudioResponse: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__tap_audio_response__init(pointer)
    }
}

extension AudioTapRequest {
    package init(wire bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__TapAudioRequest.self) { wire throws(EngineError) in
            let lead = unsafe wire.lead_us == 0 ? AudioTapRequest.usualLead : MediaTime.clamped(wire.lead_us)
            guard (.zero...AudioTapRequest.longestLead).contains(lead) else {
                throw .invalid("lead_us", "must be 0 … 10000000")
            }
            let start = unsafe MediaTime.clamped(wire.start_us)
            if start < .zero { throw .invalid("start_us", "is before the start of the timeline") }
            let isUnpaced = unsafe wire.unpaced != 0
            if !isUnpaced, start > .zero { throw .invalid("start_us", "is only allowed for an unpaced tap") }
            return unsafe AudioTapRequest(
                session: .wire(text(wire.session_id)),
                pace: isUnpaced ? .free(from: start) : .playhead(lead: lead)
            )
        }
    }

    package func framed() -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__TapAudioRequest.self)
            unsafe wire.pointee.session_id = arena.string(session?.rawValue ?? "")
            switch pace {
            case .playhead(let lead): unsafe wire.pointee.lead_us = lead.microseconds
            case .free(let start):
                unsafe wire.pointee.unpaced = 1
                unsafe wire.pointee.start_us = start.microseconds
            }
            return unsafe wire
        }
    }
}

extension TappedSound {
    package func framed() -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__TapAudioResponse.self)
            unsafe wire.pointee.time_us = time.microseconds
            let bytes = samples.flatMap { sample in
                let bits = sample.bitPattern
                return (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
            }
            unsafe wire.pointee.samples.len = bytes.count
            unsafe wire.pointee.samples.data = arena.array(bytes) { $0 }
            unsafe wire.pointee.discontinuity = isDiscontinuous ? 1 : 0
            unsafe wire.pointee.skipped_us = skipped.microseconds
            unsafe wire.pointee.stream_index = UInt32(clamping: stream)
            return unsafe wire
        }
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__TapAudioResponse.self, fieldLimit: .max) {
            wire throws(EngineError) in
            let count = unsafe wire.samples.len / 4
            let samples = (0..<count).map { place in
                Float(
                    bitPattern: (0..<4).reduce(0) { unsafe $0 | UInt32(wire.samples.data[place * 4 + $1]) << (8 * $1) }
                )
            }
            return unsafe TappedSound(
                time: MediaTime(microseconds: wire.time_us),
                samples: samples,
                isDiscontinuous: wire.discontinuity != 0,
                skipped: MediaTime(microseconds: wire.skipped_us),
                stream: Int(wire.stream_index)
            )
        }
    }
}
