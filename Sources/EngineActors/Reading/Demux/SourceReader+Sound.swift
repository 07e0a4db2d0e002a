// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

extension SourceReader {
    /// How many packets of a copied audio stream are decoded to find its channel layout.
    private static let decodedPackets = 4

    /// Takes the first rung of an audio stream's ladder that works, and describes it.
    ///
    /// - Parameter packets: the stream's first packets.
    /// - Throws: the reason that the last rung does not work.
    func sound(
        _ info: StreamInfo,
        _ description: inout StreamDescription,
        _ packets: [Packet],
        _ ladder: [AudioMatrix.Rung],
        _ options: LoadOptions,
        _ notices: inout [Notice]
    ) throws(PackagingError) -> (setup: TrackSetup, bridge: BridgeDraft?) {
        var failure = PackagingError(.unsupportedCodec, "\(info.codec.rawValue) cannot be served")
        for (number, rung) in ladder.enumerated() {
            do throws(PackagingError) {
                switch rung {
                case .copy(let reason): return (try copied(info, &description, packets, reason, options), nil)
                case .bridge(let target, let reason):
                    let draft = try bridged(info, &description, packets, target, reason, options)
                    notices += BridgeNotices.about(draft, of: description)
                    return (draft.setup, draft)
                }
            } catch {
                failure = error
                guard number + 1 < ladder.count else { continue }
                notices.append(BridgeNotices.about(rung, of: description, refusedBy: error))
            }
        }
        throw failure
    }

    private func copied(
        _ info: StreamInfo,
        _ description: inout StreamDescription,
        _ packets: [Packet],
        _ reason: String,
        _ options: LoadOptions
    ) throws(PackagingError) -> TrackSetup {
        var setup = try setup(info, description, packets)
        nameChannels(of: &setup, info, packets)
        let format = AudioMatrix.profileFormat(of: setup.codecString)
        let channels = setup.track.audio?.channels ?? 0
        guard options.profile.formats.contains(format), channels <= options.profile.maximumChannels else {
            throw PackagingError(.unsupportedFeature, "\(options.profile.name) does not play \(setup.codecString)")
        }
        description.route = .remux(reason)
        var delivery = Delivery(
            codec: info.codec,
            sampleEntry: format.hasPrefix("mp4a") ? "mp4a" : format,
            codecString: setup.codecString
        )
        delivery.audio = setup.track.audio
        description.delivery = delivery
        return setup
    }

    /// Takes the channel layout from a decoder, because the container may state only the number of channels.
    private func nameChannels(of setup: inout TrackSetup, _ info: StreamInfo, _ packets: [Packet]) {
        let first = Array(packets.prefix(Self.decodedPackets))
        // Failing is harmless: a stream that is copied needs no decoder.
        guard let parameters = try? decoderParameters(of: info),
            let trial = try? DecodingTrial(first, times: first.map { $0.pts ?? $0.dts }, parameters),
            let layout = trial.frame?.format.layout, layout.count == setup.track.audio?.channels
        else { return }
        setup.track.audio?.channelLayout = layout.name
    }

    private func bridged(
        _ info: StreamInfo,
        _ description: inout StreamDescription,
        _ packets: [Packet],
        _ target: AudioTarget,
        _ reason: String,
        _ options: LoadOptions
    ) throws(PackagingError) -> BridgeDraft {
        let parameters = try decoderParameters(of: info)
        let draft = try BridgeDraft.make(
            target,
            of: info,
            description,
            parameters,
            packets: packets,
            isCounted: context.container.isElementary,
            maximumChannels: options.profile.maximumChannels
        )
        let objects = description.audio?.objects
        description.audio = draft.found
        description.audio?.objects = objects
        description.route = .bridge(reason)
        var delivery = Delivery(
            codec: target.codec,
            sampleEntry: target.sampleEntry,
            codecString: draft.setup.codecString
        )
        delivery.audio = draft.setup.track.audio
        description.delivery = delivery
        return draft
    }
}
