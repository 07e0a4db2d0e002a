// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
internal import Packaging

/// The format of one audio stream in a group of segments, as the group's first frames show it.
package struct ListedAudio: Sendable {
    package let codec: CodecID
    package let extradata: [UInt8]
    package let frame: [UInt8]
    /// As libavformat describes the stream.
    package let properties: AudioProperties?
    /// When the frame is presented, in ticks of the stream of the source, on the source's clock.
    package let time: Int64
    /// The `Packet.format` of its packets. 0 before the format is noted.
    package fileprivate(set) var number = 0
    /// What decoding the first frames requires, and shows. `nil` if nothing is known about it.
    let sample: AudioSample?

    package init(codec: CodecID, extradata: [UInt8], frame: [UInt8], properties: AudioProperties?, time: Int64) {
        self.init(codec, extradata, frame, properties, time, sample: nil)
    }

    init(
        _ codec: CodecID,
        _ extradata: [UInt8],
        _ frame: [UInt8],
        _ properties: AudioProperties?,
        _ time: Int64,
        sample: AudioSample?
    ) {
        self.codec = codec
        self.extradata = extradata
        self.frame = frame
        self.properties = properties
        self.time = time
        self.sample = sample
    }

    /// The size of the frames that are kept.
    fileprivate var byteCount: Int { frame.count + (sample?.packets.reduce(0) { $0 + $1.byteCount } ?? 0) }

    /// What the choice of a route depends on.
    var facts: AudioMatrix.Facts {
        AudioMatrix.Facts(
            codec: codec,
            profile: sample?.description.profile ?? "",
            channels: properties?.channels ?? 0,
            bitDepth: properties?.bitDepth ?? 0,
            hasConfiguration: !extradata.isEmpty,
            frameLength: sample?.info.frameLength ?? 0,
            isDecodable: sample.map { $0.trial?.frame != nil } ?? false
        )
    }
}

/// The formats of the audio of a source's lists, by group of segments. The format of each list's reference group is
/// that of the source's track, and is not kept here.
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
        /// The groups in `found`, the oldest first.
        var kept: [Key] = []
        /// The size of the frames in `found`.
        var byteCount = 0
        /// The stream and the group of each format; the first has number 1.
        var numbered: [(key: Key, stream: Int)] = []
    }

    /// The most groups that are kept, and the most bytes of their frames. The formats of an older one are read again if they are
    /// needed.
    private static let limit = 512
    private static let byteLimit = 64 << 20

    private let state = Locked(State())

    /// The number under which the formats of another variant of the leading list are kept.
    ///
    /// - Parameter variant: `SourceVariant.index`.
    static func place(ofVariant variant: Int) -> Int { -1 - variant }

    /// - Parameter streams: the numbers of the streams of a list, as in the source.
    func register(_ streams: [Int], of list: Int) {
        state.withLock { state in
            for stream in streams { state.lists[stream] = list }
        }
    }

    /// The list of a stream. `nil` if no reader has opened the lists yet.
    func list(of stream: Int) -> Int? { state.withLock { $0.lists[stream] } }

    /// The list of a stream, and the group of that list's segments that plays in a version of the leading list. `nil`
    /// if the format there is that of the track, or if no reader has opened the lists yet.
    ///
    /// - Parameter parts: the lists of the source. The first one leads.
    func place(of stream: Int, _ version: Int, in parts: [ListPart]) -> (list: Int, group: Int)? {
        guard let list = state.withLock({ $0.lists[stream] }) else { return nil }
        let (own, lead) = (parts[list].list, parts[0].list)
        let group = list == 0 ? version : GroupPairing(with: lead).last(in: own, upTo: version) ?? own.reference
        return group == own.reference || !own.groups.indices.contains(group) ? nil : (list, group)
    }

    func isKnown(_ group: Int, of list: Int) -> Bool {
        state.withLock { $0.found[Key(list: list, group: group)] != nil }
    }

    /// Only the first call for a group has an effect.
    func note(_ audio: [Int: ListedAudio], in group: Int, of list: Int) {
        let key = Key(list: list, group: group)
        state.withLock { state in
            guard state.found[key] == nil else { return }
            state.found[key] = [:]
            for (stream, var format) in audio.sorted(by: { $0.key < $1.key }) {
                state.numbered.append((key, stream))
                format.number = state.numbered.count
                state.found[key]?[stream] = format
                state.byteCount += format.byteCount
            }
            state.kept.append(key)
            // The new group is used at once, however large its frames are.
            while state.kept.count > 1, state.kept.count > Self.limit || state.byteCount > Self.byteLimit {
                let left = state.found.removeValue(forKey: state.kept.removeFirst()) ?? [:]
                state.byteCount -= left.values.reduce(0) { $0 + $1.byteCount }
            }
        }
    }

    /// The format with a number. `nil` for 0, the format of the track, and for a format that is no longer kept.
    func audio(numbered number: Int) -> ListedAudio? {
        state.withLock { state in
            guard state.numbered.indices.contains(number - 1) else { return nil }
            let (key, stream) = state.numbered[number - 1]
            return state.found[key]?[stream].flatMap { $0.number == number ? $0 : nil }
        }
    }

    /// `Packet.format` of the packets of one stream of a segment.
    ///
    /// - Parameters:
    ///   - known: the codec of the stream in the source.
    ///   - other: the codec of the segment's stream, if it is another one.
    func format(of stream: Int, _ known: CodecID, _ other: CodecID?, in group: Int, of list: Int) -> Int {
        let found = audio(of: stream, in: group, of: list)
        guard (found?.codec ?? known).family == (other ?? known).family else { return Packet.unknownFormat }
        return found?.number ?? 0
    }

    /// `nil` if the group was not read or is no longer kept, or has no such audio.
    func audio(of stream: Int, in group: Int, of list: Int) -> ListedAudio? {
        state.withLock { $0.found[Key(list: list, group: group)]?[stream] }
    }
}

extension OpenSegment {
    /// What decoding the first frames of an audio stream requires, and shows.
    ///
    /// - Parameters:
    ///   - target: where the stream belongs in the source.
    ///   - path: the path of the source.
    func sample(
        of info: StreamInfo,
        _ description: StreamDescription?,
        _ packets: [Packet],
        _ target: ListStreams.Target,
        _ path: String
    ) throws(EngineError) -> AudioSample? {
        guard var description else { return nil }
        description.index = target.stream
        do throws(FFmpegError) {
            let parameters = try CodecParameters(context.codecParameters(of: info.index), timeBase: target.base)
            return AudioSample(info.numbered(target.stream, in: target.base), description, parameters, packets)
        } catch {
            throw EngineError(error, .segmentFailed, "reading the format of the audio of \(path)")
        }
    }
}
