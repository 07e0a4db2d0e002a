// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Turns the draft of a video track into one for the video bridge, and makes the notices about what the player loses.
enum VideoBridgeRouting {
    /// - Parameters:
    ///   - draft: the draft for the source's own packets.
    ///   - reason: why the video is encoded.
    static func bridged(_ draft: TrackDraft, _ bridge: VideoBridgeDraft, because reason: String) -> TrackDraft {
        var description = draft.description
        description.video = draft.setup.track.video
        let size = bridge.isReduced ? " in \(bridge.target.width)x\(bridge.target.height)" : ""
        let device = bridge.library.deviceName.map { " by \($0)" } ?? ""
        description.route = .bridge("\(reason); \(bridge.target.summary)\(device)\(size)")
        var setup = bridge.setup
        let codec = bridge.target.codec
        setup.track.videoEntry = codec.entry
        var delivery = Delivery(
            codec: codec.codec,
            sampleEntry: codec.entry.rawValue,
            codecString: setup.codecString
        )
        delivery.videoFormat = .sdr
        description.delivery = delivery
        return TrackDraft(info: draft.info, description: description, setup: setup, bridge: nil, videoBridge: bridge)
    }

    static func notices(about bridge: VideoBridgeDraft, of draft: TrackDraft) -> [Notice] {
        let what = "\(draft.info.codec.rawValue) stream \(draft.info.index)"
        let target = bridge.target
        let rate = "\(target.maximumBitRate / 1000) kbit/s"
        var notices = [
            Notice(.info, "video.bridged", "\(what) is \(target.summary), with at most \(rate)")
        ]
        if let notice = notice(of: draft, withoutDevice: bridge) { notices.append(notice) }
        if bridge.isReduced {
            let text = "\(what) is scaled down to \(target.width)x\(target.height)"
            notices.append(Notice(.warning, "video.reduced", text))
        }
        if bridge.isToneMapped {
            notices.append(Notice(.warning, "video.tone_mapped", "\(what) is HDR and is tone-mapped to SDR"))
        }
        if bridge.losesCaptions {
            let text =
                "\(what) has captions; it is encoded to \(target.codec.name) without them, and they are subtitle tracks"
            notices.append(Notice(.warning, "video.captions_lost", text))
        }
        return notices
    }

    /// Why no device encodes a video although the load asks for one. `nil` if one does, or none was asked for.
    static func notice(of draft: TrackDraft, withoutDevice bridge: VideoBridgeDraft) -> Notice? {
        guard !bridge.refusals.isEmpty, bridge.library.deviceName == nil else { return nil }
        let what = "\(draft.info.codec.rawValue) stream \(draft.info.index)"
        let reasons = bridge.refusals.map { "\($0.device): \($0.reason)" }.joined(separator: "; ")
        let text = "the processor encodes \(what), because no device does (\(reasons))"
        return Notice(.warning, "video.no_hardware_encoder", text)
    }

    /// - Parameters:
    ///   - slow: what was tried and is too slow.
    ///   - bridge: what was chosen.
    ///   - size: of `bridge`, as an option.
    static func notice(
        of draft: TrackDraft,
        _ slow: BridgeSize.Slowness,
        _ bridge: VideoBridgeDraft,
        _ size: BridgeSize
    ) -> Notice {
        let (tried, chosen) = (slow.target, bridge.target)
        let text =
            "this machine encodes \(Int(slow.speed)) frames per second of \(tried.width)x\(tried.height), and "
            + "\(draft.info.codec.rawValue) stream \(draft.info.index) has \(Int(tried.frameRate.value.rounded())); it is "
            + "encoded in \(chosen.width)x\(chosen.height) with preset \(chosen.preset) (video_bridge_lines = \(size.lines))"
        return Notice(.warning, "video.too_slow", text)
    }

    static func notice(about ladder: [VideoBridgeDraft], of draft: TrackDraft) -> Notice {
        let sizes = ladder.map { rung in
            "\(rung.target.width)x\(rung.target.height) with at most \(rung.target.maximumBitRate / 1000) kbit/s"
        }
        let what = "\(draft.info.codec.rawValue) stream \(draft.info.index)"
        return Notice(
            .info,
            "video.ladder",
            "\(what) is also offered in \(sizes.joined(separator: ", ")), encoded when a player requests it"
        )
    }

    static func notice(of draft: TrackDraft, withoutLadder reason: PackagingError) -> Notice {
        let what = "\(draft.info.codec.rawValue) stream \(draft.info.index)"
        return Notice(.warning, "video.no_ladder", "\(what) is offered in one size only: \(reason.message)")
    }

    static func noticeOfLadderWithoutVideo(of path: String) -> Notice {
        Notice(.warning, "video.no_ladder", "\(path) has no video to offer in smaller sizes")
    }

    static func notice(of draft: TrackDraft, refusedBy error: PackagingError) -> Notice {
        let what = "\(draft.info.codec.rawValue) stream \(draft.info.index)"
        return Notice(.warning, "video.not_bridged", "\(what) cannot be encoded for the player: \(error)")
    }
}
