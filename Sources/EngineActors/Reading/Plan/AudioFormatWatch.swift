// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Counts how often the header of an audio frame states another format than that of the stream's previous frame. Pure.
struct AudioFormatWatch {
    /// Whether packets have their payload. If not, the frame headers cannot be read.
    private let readsPayload: Bool
    /// By stream.
    private var formats: [Int: AudioFormatMark] = [:]
    private(set) var changes = 0

    init(readsPayload: Bool) { self.readsPayload = readsPayload }

    mutating func note(_ packet: Packet, codec: CodecID) {
        guard readsPayload, let mark = packet.withBytes({ AudioFormatMark(codec: codec, frame: $0) }) else { return }
        let known = formats.updateValue(mark, forKey: packet.streamIndex)
        if let known, known != mark { changes += 1 }
    }
}
