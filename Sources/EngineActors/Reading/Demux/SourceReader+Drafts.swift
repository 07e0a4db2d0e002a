// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

extension SourceReader {
    /// The played streams, as their first packets describe them. Their position on the timeline is not known yet.
    struct Drafts {
        var setups: [(StreamInfo, TrackSetup)] = []
        /// By stream index.
        var bridges: [Int: BridgeDraft] = [:]
        /// Why the leading stream cannot be played.
        var refusal: EngineError?
    }

    /// Determines for each stream how it is packed, or that only the software path can play it. Omits a stream that
    /// cannot be played at all; the description and the notices report it.
    ///
    /// - Parameter layer: the enhancement layer in a second video track, if any.
    func drafts(
        of choice: StreamChoice,
        _ media: inout MediaDescription,
        _ head: Head,
        _ layer: SecondLayer?,
        _ options: LoadOptions,
        _ notices: inout [Notice]
    ) -> Drafts {
        let infos = context.streamInfos()
        var drafts = Drafts()
        for stream in choice.played {
            let packets = head.packets[stream] ?? []
            var description = media.streams[stream]
            do throws(PackagingError) {
                if let reason = choice.softwareReason(of: description) {
                    let setup = try decodedSetup(infos[stream], &description, packets, because: reason)
                    drafts.setups.append((infos[stream], setup))
                } else if let ladder = choice.ladders[stream] {
                    let sound = try sound(infos[stream], &description, packets, ladder, options, &notices)
                    drafts.bridges[stream] = sound.bridge
                    drafts.setups.append((infos[stream], sound.setup))
                } else {
                    var setup = try setup(infos[stream], description, packets)
                    if stream == choice.video {
                        setup.findSecondLayer(
                            in: packets.map(\.bytes),
                            declared: description.video?.dolbyVision,
                            beside: layer
                        )
                    }
                    drafts.setups.append((infos[stream], setup))
                }
                media.streams[stream] = description
            } catch {
                var decoded = media.streams[stream]
                // A stream that cannot be served may still be decodable.
                if choice.softwareReason(of: decoded) == nil,
                    let setup = try? decodedSetup(infos[stream], &decoded, packets, because: error.description)
                {
                    media.streams[stream] = decoded
                    drafts.setups.append((infos[stream], setup))
                    continue
                }
                let what = "\(description.codec.rawValue) stream \(stream)"
                media.streams[stream].route = .none("\(error)")
                if stream == choice.lead {
                    let text = "the \(what) of \(file.path) cannot be played"
                    drafts.refusal = EngineError(.noPlayableStream, text, cause: "\(error)")
                } else {
                    notices.append(Notice(.warning, "track.not_served", "\(what) is not served: \(error)"))
                }
            }
        }
        return drafts
    }
}
