// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension RecordingState {
    var wire: Proto.Recording {
        var wire = Proto.Recording()
        wire.phase =
            switch phase {
            case .running: .running
            case .ended: .ended
            case .failed: .failed
            }
        wire.path = path
        wire.earlierPaths = earlierPaths
        wire.subtitlePaths = subtitlePaths
        wire.startMicroseconds = start.microseconds
        wire.durationMicroseconds = duration.microseconds
        wire.byteCount = byteCount
        wire.error = error?.wire
        return wire
    }

    init(wire: Proto.Recording) {
        self.init(path: wire.path, start: MediaTime(microseconds: wire.startMicroseconds))
        phase =
            switch wire.phase {
            case .ended: .ended
            case .failed: .failed
            default: .running
            }
        earlierPaths = wire.earlierPaths
        subtitlePaths = wire.subtitlePaths
        duration = MediaTime(microseconds: wire.durationMicroseconds)
        byteCount = wire.byteCount
        error = wire.error.map(EngineError.init(wire:))
    }
}

extension RecordingRequest {
    init(wire: Proto.StartRecordingRequest) throws(EngineError) {
        self.init(
            path: wire.path,
            start: wire.start.map { MediaTime(microseconds: $0.positionMicroseconds) }
        )
    }
}
