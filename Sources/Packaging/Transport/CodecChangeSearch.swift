// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Finds where the video of a stored transport stream continues in another codec, or under another packet identifier
/// (PID). One demuxer reads such a source, and cannot follow either. Pure: the caller passes in the bytes from the start
/// on, in order.
package struct CodecChangeSearch: Sendable {
    private var spacing: TransportPacket.Spacing?
    /// The bytes after the last examined packet, and their position.
    private var pending: [UInt8] = []
    private var position: Int64 = 0
    private var streams = StreamSuccession()
    /// The PIDs of the video streams that are played.
    private var required: Set<Int> = []
    /// The changes of video found so far, in order.
    package private(set) var changes: [StreamReception.Change] = []

    package init() {}

    /// The number of bytes that have been passed in.
    package var byteCount: Int64 { position + Int64(pending.count) }

    /// From now on, the source ends where this video stream changes. A source with one video stream ends there in any
    /// case.
    package mutating func require(stream: Int) { required.insert(stream) }

    /// Where the played video changes. `nil` if it does not, as far as is known.
    package var end: Int64? {
        changes.first { change in
            guard case .replaced(_, let stream, _, _) = change.kind else { return false }
            return required.contains(stream) || streams.hasOneVideo
        }?.position
    }

    package mutating func add(_ bytes: [UInt8]) {
        pending += bytes
        if spacing == nil { spacing = TransportPacket.Spacing(of: pending) }
        guard let spacing else { return }
        var place = position == 0 ? spacing.first : 0
        while pending.count - place >= max(spacing.size, TransportPacket.byteCount) {
            if pending[place] == TransportPacket.syncByte {
                examine(at: place)
                place += spacing.size
            } else {
                place += 1
            }
        }
        pending.removeFirst(place)
        position += Int64(place)
    }

    private mutating func examine(at place: Int) {
        let number = Int(pending[place + 1] & 0x1F) << 8 | Int(pending[place + 2])
        guard streams.carriesTables(number), let packet = TransportPacket(pending, at: place) else { return }
        let end = place + TransportPacket.byteCount
        _ = streams.take(packet, pending[place + packet.payloadOffset..<end])
        for kind in streams.takeChanges() where changes.count < StreamReception.changeLimit {
            let kind: StreamReception.Change.Kind? =
                switch kind {
                case .replaced: kind
                case .moved(let name, let old, let new, isVideo: true): .replaced(name, old, by: name, as: new)
                case .moved, .returned, .vanished, .appeared: nil
                }
            guard let kind else { continue }
            changes.append(StreamReception.Change(position: position + Int64(place), kind: kind))
        }
    }
}
