// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The output of `tracks`: a line per track, including the format that the player receives.
struct TracksText {
    let state: SessionState

    private var streams: [StreamDescription] {
        (state.media?.streams ?? []).filter { $0.kind == .video || $0.kind == .audio }
    }

    var lines: [String] { streams.map { "\(isSelected($0) ? "*" : " ") \(StreamText(stream: $0).line)" } }

    var json: JSON {
        .object(
            ("session", .string(state.id.rawValue)),
            ("selected_audio", state.selectedAudio.map { .integer($0) } ?? .null),
            ("tracks", .array(streams.map(\.json)))
        )
    }

    private func isSelected(_ stream: StreamDescription) -> Bool {
        stream.kind == .audio && stream.index == state.selectedAudio
    }
}
