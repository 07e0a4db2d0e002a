// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// The packets at the start of a source: as many as the decisions about the played streams need, within limits. Pure:
/// the examiner feeds it.
struct SourceHead {
    private static let byteLimit = 48 << 20
    private static let packetLimit = 6000
    /// The number of packets that an audio bridge is tried on: enough for a decoder to find a random access point, and
    /// for times to reveal the grid of frames (`SamplePlacement`).
    private static let bridgedPackets = 64
    /// The same for `uniformCodecs` in the title of a disc, if the times of these packets are evenly spaced.
    private static let uniformPackets = 8
    /// Codecs whose frames all have the same number of samples, and can be decoded alone (ATSC A/52, 5.1;
    /// ISO/IEC 11172-3, 2.4.3.3). Such frames are on a grid to which decoded samples are moved.
    private static let uniformCodecs: Set<CodecID> = [.ac3, .mp2]
    /// How much the distances of evenly spaced packets may differ because times are rounded, in ticks.
    private static let roundingError: Int64 = 1
    private static let videoPackets = 24
    /// As `videoPackets`, for MPEG-2 in the title of a disc, if these pictures tell everything about the others
    /// (`isRegular`): the fewest that can disprove a declared frame rate (`TrackPlacement`), which does not count the
    /// last one.
    private static let regularPackets = 14
    private static let regularCodec = CodecID(rawValue: "mpeg2video")
    private static let remuxedPackets = 4

    /// By stream index. Video starts at its first keyframe. Packets of another format than a stream's first are left
    /// out, as are those after samples of the same stream.
    private(set) var packets: [Int: [Packet]] = [:]
    /// Everything that was read, in file order.
    private(set) var all: [Packet] = []
    private let choice: StreamChoice
    private var missing: Set<Int>
    /// The streams of which there are samples.
    private var sampled: Set<Int> = []
    private var byteCount = 0
    /// The number of bytes that had been read when the last missing stream had enough packets. `nil` until then.
    private var sufficient: Int?
    /// As in `init`.
    private let patience: Int64?
    private let isAuthored: Bool

    /// - Parameters:
    ///   - patience: how much of the leading stream of a live stream is read while another stream is missing, in ticks
    ///     of the leading stream. `nil`: as much as the limits allow.
    ///   - isAuthored: whether the source is the title of a disc. Other sources may have been recorded, so that their
    ///     first packets tell less about the others.
    init(of choice: StreamChoice, patience: Int64? = nil, isAuthored: Bool = false) {
        self.choice = choice
        self.patience = patience
        self.isAuthored = isAuthored
        missing = choice.read
    }

    /// Whether more packets may reveal more. Objects may start after a few packets, so reading continues a little
    /// further to find them.
    var wantsMore: Bool {
        guard byteCount < Self.byteLimit, all.count < Self.packetLimit else { return false }
        guard missing.isEmpty else { return !hasGivenUp }
        guard let sufficient, byteCount - sufficient < ObjectSearch.byteLimit else { return false }
        return choice.played.contains { stream in
            choice.codec(of: stream) == .eac3 && ObjectSearch.mayFind(after: packets[stream] ?? [])
        }
    }

    /// Whether enough of the leading stream has been read to give up the missing streams.
    private var hasGivenUp: Bool {
        guard let patience, !missing.contains(choice.lead), let lead = packets[choice.lead],
            let first = lead.first?.dts, let last = lead.last?.dts
        else { return false }
        return last &- first >= patience
    }

    mutating func add(_ packet: Packet) {
        byteCount += packet.byteCount
        all.append(packet)
        let stream = packet.streamIndex
        guard !sampled.contains(stream) else { return }
        let isVideo = stream == choice.video
        if isVideo, packets[stream] == nil, !packet.isKey { return }
        // The track is made for one format.
        if let first = packets[stream]?.first, first.format != packet.format { return }
        packets[stream, default: []].append(packet)
        if isEnough(packets[stream, default: []], of: stream) { missing.remove(stream) }
        if missing.isEmpty, sufficient == nil { sufficient = byteCount }
    }

    /// Adds copies of packets of streams that begin later than the title, so that no packets of these streams are
    /// awaited. Call this before any other packet is added.
    ///
    /// - Parameter samples: the packets in front of a disc's title (`TitleTimeline.samples`).
    mutating func add(samples: [Packet]) {
        for packet in samples {
            packets[packet.streamIndex, default: []].append(packet)
            sampled.insert(packet.streamIndex)
        }
        missing.subtract(sampled)
    }

    private func isEnough(_ found: [Packet], of stream: Int) -> Bool {
        if stream == choice.video {
            if found.count >= Self.videoPackets { return true }
            return isAuthored && found.count >= Self.regularPackets && isRegular(found, stream)
        }
        guard choice.isBridged(stream) else { return found.count >= Self.remuxedPackets }
        if found.count >= Self.bridgedPackets { return true }
        return isAuthored && found.count >= Self.uniformPackets && isUniform(found, stream)
    }

    /// Whether the pictures are evenly spaced in decoding order, or repeat fields as film does, and none of them has
    /// captions: each caption channel may begin later than the others. False if the video may be encoded, because a
    /// video bridge is always tried on more pictures.
    private func isRegular(_ found: [Packet], _ stream: Int) -> Bool {
        guard !choice.mayEncodeVideo, let codec = choice.codec(of: stream), codec == Self.regularCodec,
            let captions = CaptionExtractor(codec: codec, extradata: []),
            found.allSatisfy({ packet in packet.withBytes { captions.headTriplets(in: $0).isEmpty } })
        else { return false }
        let times = found.compactMap(\.dts)
        let gaps = zip(times, times.dropFirst()).map { $1 &- $0 }
        guard times.count == found.count, let shortest = gaps.min(), let longest = gaps.max(), shortest > 0 else {
            return false
        }
        let fields = found.map { packet in packet.withBytes { MPEG2Picture.fieldCount($0) } }
        let known = fields.compactMap(\.self)
        // Only whether there is a result matters, so any rate will do.
        let isFilm = known.count == fields.count && MPEG2Picture.originalRate(Ratio(25, 1), fields: known) != nil
        // Some pictures of film last three fields instead of two.
        if isFilm { return 2 * longest <= 3 * shortest + 2 * Self.roundingError }
        // Only some pictures of a progressive sequence are preceded by a header that declares it.
        let sequences = found.compactMap { packet in packet.withBytes { MPEG2Picture.isSequenceProgressive($0) } }
        let isProgressive = sequences.contains(true) && !sequences.contains(false)
        let isSteady = isProgressive ? Set(known).count <= 1 : Set(fields).count == 1
        return isSteady && longest &- shortest <= Self.roundingError
    }

    private func isUniform(_ found: [Packet], _ stream: Int) -> Bool {
        guard let codec = choice.codec(of: stream), Self.uniformCodecs.contains(codec) else { return false }
        let times = found.compactMap { $0.pts ?? $0.dts }
        let gaps = zip(times, times.dropFirst()).map { $1 &- $0 }
        guard times.count == found.count, let shortest = gaps.min(), let longest = gaps.max() else { return false }
        return shortest > 0 && longest - shortest <= Self.roundingError
    }
}

/// Finds object-based audio, which only packets reveal.
enum ObjectSearch {
    static let packetLimit = 64
    /// The number of bytes that are read just to find objects.
    static let byteLimit = 2 << 20

    /// Whether objects may first appear in the packets of an E-AC-3 stream after `packets`.
    static func mayFind(after packets: [Packet]) -> Bool {
        guard packets.count < packetLimit else { return false }
        return packets.last.map { objects(in: [$0], of: .eac3) == nil } ?? true
    }

    /// The audio objects in the packets, by the stream's position in the description.
    static func objects(in packets: [Int: [Packet]], of media: MediaDescription) -> [Int: ObjectAudio] {
        var found: [Int: ObjectAudio] = [:]
        for index in media.streams.indices where ObjectAudio.carriers.contains(media.streams[index].codec) {
            found[index] = objects(in: packets[index] ?? [], of: media.streams[index].codec)
        }
        return found
    }

    private static func objects(in packets: [Packet], of codec: CodecID) -> ObjectAudio? {
        ObjectAudio.found(in: packets.prefix(packetLimit).map(\.bytes), of: codec)
    }

    /// - Parameter stream: with its final route.
    static func notice(of objects: ObjectAudio, in stream: StreamDescription) -> Notice {
        let name =
            switch objects {
            case .dolbyAtmos(let complexity?): "Dolby Atmos of complexity \(complexity)"
            case .dolbyAtmos: "Dolby Atmos"
            case .dtsX: "DTS:X"
            }
        let what = "\(stream.codec.rawValue) stream \(stream.index) carries \(name)"
        switch stream.route {
        case .remux: return Notice(.info, "audio.objects", "\(what); it is remuxed")
        case .bridge:
            return Notice(.warning, "audio.objects_lost", "\(what); re-encoding keeps only its channels")
        case .software, .none: return Notice(.warning, "audio.objects_lost", "\(what); the stream is not served")
        }
    }
}

extension MediaDescription {
    /// Names MPEG audio of layer II, which libavformat calls layer III in a transport stream that it has read little of
    /// (ISO/IEC 11172-3 §2.4.2.3).
    func namingLayers(from packets: [Int: [Packet]]) -> MediaDescription {
        var media = self
        for place in media.streams.indices where media.streams[place].codec == .mp3 {
            let found = packets[media.streams[place].index] ?? []
            let isSecond = found.allSatisfy { packet in
                packet.withBytes { AudioFrameLength(codec: .mp2, frame: [UInt8](copying: $0.extracting(first: 4))) }
                    != nil
            }
            guard !found.isEmpty, isSecond else { continue }
            media.streams[place].codec = .mp2
            media.streams[place].codecName = CodecID.mp2.longName
        }
        return media
    }
}
