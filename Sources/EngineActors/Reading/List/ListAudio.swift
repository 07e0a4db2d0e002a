// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime

/// The format of one audio stream in a group of segments, as the group's first frame shows it.
package struct ListedAudio: Hashable, Sendable {
    package let codec: CodecID
    package let extradata: [UInt8]
    package let frame: [UInt8]
    /// As libavformat describes the stream.
    package let properties: AudioProperties?
    /// When the frame is presented, in ticks of the stream of the source, on the source's clock.
    package let time: Int64

    package init(codec: CodecID, extradata: [UInt8], frame: [UInt8], properties: AudioProperties?, time: Int64) {
        self.codec = codec
        self.extradata = extradata
        self.frame = frame
        self.properties = properties
        self.time = time
    }
}

/// The formats of the audio of a source's lists, by group of segments. Those of the groups that are read first are the formats of the
/// source's tracks, and are not kept here.
///
/// Thread-safety: safe.
final class ListAudio: Sendable {
    private struct Key: Hashable {
        let list: Int
        let group: Int
    }

    private struct State {
        /// The list of each stream.
        var lists: [Int: Int] = [:]
        /// By stream.
        var found: [Key: [Int: ListedAudio]] = [:]
    }

    private let state = Locked(State())

    /// - Parameter streams: the numbers of the streams of a list, as in the source.
    func register(_ streams: [Int], of list: Int) {
        state.withLock { state in
            for stream in streams { state.lists[stream] = list }
        }
    }

    /// The group of segments that has a stream in a version of the leading list. `nil` if its format is that of the track,
    /// and before a reader has opened the lists.
    ///
    /// - Parameter parts: the lists of the source. The first one leads.
    func place(of stream: Int, _ version: Int, in parts: [ListPart]) -> (list: Int, group: Int)? {
        guard let list = state.withLock({ $0.lists[stream] }) else { return nil }
        let (own, lead) = (parts[list].list, parts[0].list)
        let group =
            list == 0
            ? version : own.groups.indices.last { own.group(of: lead, pairedWith: $0) <= version } ?? own.reference
        return group == own.reference || !own.groups.indices.contains(group) ? nil : (list, group)
    }

    func isKnown(_ group: Int, of list: Int) -> Bool {
        state.withLock { $0.found[Key(list: list, group: group)] != nil }
    }

    /// Only the first call for a group has an effect.
    func note(_ audio: [Int: ListedAudio], in group: Int, of list: Int) {
        let key = Key(list: list, group: group)
        state.withLock { $0.found[key] = $0.found[key] ?? audio }
    }

    /// `nil` if the group was not read, or has no such audio.
    func audio(of stream: Int, in group: Int, of list: Int) -> ListedAudio? {
        state.withLock { $0.found[Key(list: list, group: group)]?[stream] }
    }
}
