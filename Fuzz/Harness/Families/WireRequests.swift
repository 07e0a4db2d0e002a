// SPDX-License-Identifier: Apache-2.0

import EngineModel

@testable import Server
@testable import Wire

/// Requests for cues, rings, audio, filters and overlays, and their answers. A message that was read can be written and
/// read again.
func exerciseRequests(_ bytes: [UInt8]) {
    let body = { (framed: [UInt8]) in Array(framed.dropFirst(MessageFraming.prefixByteCount)) }
    if let cues = try? CueRequest(wire: bytes) {
        expect((try? CueRequest(wire: body(cues.framed()))) == cues, "GetCuesRequest reads back")
    }
    if let batch = try? CueBatch(wire: bytes) {
        // Compared as bytes, because NaN equals nothing.
        expect((try? CueBatch(wire: body(batch.framed())))?.framed() == batch.framed(), "GetCuesResponse reads back")
    }
    if let frames = try? FramesRequest(wire: bytes) {
        expect(FramesRequest.slotCounts.contains(frames.slotCount), "a ring has \(frames.slotCount) slots")
        expect((try? FramesRequest(wire: body(frames.framed()))) == frames, "AttachFramesRequest reads back")
    }
    if let audio = try? AudioRequest(wire: bytes) {
        expect(AudioRequest.buffers.contains(audio.buffer), "a ring holds \(audio.buffer)")
        expect((try? AudioRequest(wire: body(audio.framed()))) == audio, "AttachAudioRequest reads back")
    }
    if let tap = try? AudioTapRequest(wire: bytes) {
        expect((try? AudioTapRequest(wire: body(tap.framed()))) == tap, "TapAudioRequest reads back")
    }
    if let loudness = try? LoudnessRequest(wire: bytes) {
        expect((try? LoudnessRequest(wire: body(loudness.framed()))) == loudness, "MeasureLoudnessRequest reads back")
    }
    _ = try? LoudnessStep(wire: bytes)
    _ = try? TappedAudio(wire: bytes)
    _ = try? AttachmentAnswer(wire: bytes)
    if let render = try? RenderRequest(wire: bytes) {
        expect((try? RenderRequest(wire: body(render.framed()))) == render, "RenderRequest reads back")
        if case .report(let report) = render { expect(report.rate.isFinite, "a playhead moves at a rate") }
    }
    if let attachment = try? AttachmentRequest(wire: bytes) {
        expect(
            (try? AttachmentRequest(wire: body(attachment.framed()))) == attachment,
            "GetAttachmentRequest reads back"
        )
    }
    _ = try? RendererCommand.decoded(bytes)
    _ = try? DataPiece(wire: bytes)
    _ = try? CueRequest(script: bytes)
    exerciseCommands(bytes)
}

private func exerciseCommands(_ bytes: [UInt8]) {
    let body = { (framed: [UInt8]) in Array(framed.dropFirst(MessageFraming.prefixByteCount)) }
    let readers: [([UInt8]) throws -> CommandRequest] = [
        { try CommandRequest(setVolume: $0) }, { try CommandRequest(setMuted: $0) },
        { try CommandRequest(setLooping: $0) }, { try CommandRequest(skipChapter: $0) },
        { try CommandRequest(selectSubtitles: $0) }, { try CommandRequest(setAdjustments: $0) },
        { try CommandRequest(addFilter: $0) }, { try CommandRequest(removeFilter: $0) },
        { try CommandRequest(putOverlay: $0) }, { try CommandRequest(removeOverlay: $0) },
        { try CommandRequest(selectPath: $0) }, { try CommandRequest(setSoundOutput: $0) },
        { try CommandRequest(addSubtitles: $0) }, { try CommandRequest(removeSubtitles: $0) },
        { try CommandRequest(refreshSource: $0) },
    ]
    for read in readers {
        guard let command = try? read(bytes) else { continue }
        expect((try? read(body(command.framed()))) == command, "a command reads back: \(command)")
    }
}
