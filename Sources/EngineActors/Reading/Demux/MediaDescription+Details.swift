// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel

extension SourceReader {
    /// Whether at least one stream of the source can be played.
    package func isPlayable(_ media: MediaDescription, _ options: LoadOptions) -> Bool {
        do throws(EngineError) {
            try StreamChoice(context.streamInfos(), media, options).requirePlayable(path: file.path)
            return true
        } catch {
            return false
        }
    }
}

extension MediaDescription {
    /// Adds details that opening a source for playback neither needs nor determines.
    ///
    /// - Parameter details: a description of the same source, which was read until all of its streams were known.
    func completed(by details: MediaDescription) -> MediaDescription {
        var media = self
        media.duration = media.duration ?? details.duration
        if media.bitRate == 0 { media.bitRate = details.bitRate }
        for index in media.streams.indices where details.streams.indices.contains(index) {
            media.streams[index].complete(by: details.streams[index])
        }
        return media
    }
}

extension StreamDescription {
    fileprivate mutating func complete(by details: StreamDescription) {
        guard codec == details.codec else { return }
        guard route.isServed else {
            let (route, record) = (route, video?.dolbyVision)
            let found = tags.filter { !details.tags.contains($0) }
            self = details
            tags += found
            self.route = route
            if let record { video?.dolbyVision = record }
            return
        }
        if profile.isEmpty { profile = details.profile }
        if bitRate == 0 { bitRate = details.bitRate }
        duration = duration ?? details.duration
        if video?.pixelFormat.isEmpty == true { video?.pixelFormat = details.video?.pixelFormat ?? "" }
    }
}
