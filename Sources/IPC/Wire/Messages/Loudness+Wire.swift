// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension LoudnessRequest {
    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.MeasureLoudnessRequest(bytes)
        var request: LoudnessRequest
        switch wire.place {
        case .source(let source):
            if source.isEmpty { throw .invalid("source", "is empty") }
            request = LoudnessRequest(.source(source))
        case .sessionID(let id): request = LoudnessRequest(.session(.wire(id)))
        case nil: request = LoudnessRequest(.session(nil))
        }
        if case .streamIndex(let index) = wire.choice { request.stream = Int(index) }
        request.http = try HTTPOptions(wire: wire.httpHeaders, wire.httpConnection)
        request.program = try ProgramSelection(wire: wire.program)
        self = request
    }

    package func framed() -> [UInt8] {
        var wire = Proto.MeasureLoudnessRequest()
        switch place {
        case .session(let id): wire.place = .sessionID(id?.rawValue ?? "")
        case .source(let source): wire.place = .source(source)
        }
        wire.choice = stream.map { .streamIndex(UInt32(clamping: $0)) }
        wire.httpHeaders = http.headers.map(\.wire)
        wire.httpConnection = http.connection.wire
        wire.program = program.wire
        return wire.framed()
    }
}

extension LoudnessStep {
    package func framed() -> [UInt8] {
        var wire = Proto.MeasureLoudnessResponse()
        wire.progress = progress
        wire.streamIndex = UInt32(clamping: stream)
        wire.loudness = loudness.map {
            Proto.Loudness(
                integratedLufs: $0.integrated,
                rangeLu: $0.range,
                truePeakDbtp: $0.truePeak,
                durationMicroseconds: $0.duration.microseconds
            )
        }
        return wire.framed()
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.MeasureLoudnessResponse(bytes)
        var step = LoudnessStep(stream: Int(wire.streamIndex))
        step.progress = wire.progress
        step.loudness = wire.loudness.map {
            Loudness(
                integrated: $0.integratedLufs,
                range: $0.rangeLu,
                truePeak: $0.truePeakDbtp,
                duration: MediaTime(microseconds: $0.durationMicroseconds)
            )
        }
        self = step
    }
}
