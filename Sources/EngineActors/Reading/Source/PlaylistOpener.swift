// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// Opens a source that turns out to be an HLS playlist, whatever its name and content type are.
struct PlaylistOpener: Sendable {
    /// The number of bytes that are read to recognise the kind of a source.
    private static let headByteCount = 512
    /// The number of bytes that are read to distinguish a playlist from a list of channels, which may be large.
    private static let listByteCount = 64 << 10
    /// The number of channels that the error names.
    private static let namedChannels = 3

    private let file: any ByteSource
    private let decoded: [UInt8]?
    private let loader: PlaylistLoader
    private let url: String
    private let options: LoadOptions

    /// - Parameters:
    ///   - file: the source, which may be a playlist.
    ///   - decoded: its bytes, if its server encodes them. `nil`: they are read from `file`.
    ///   - resources: fetches the resources that the playlist names.
    ///   - caches: sizes the cache of the list.
    ///   - url: the URL of the playlist after redirects, which resolves relative URLs in it.
    ///   - options: choose the variant.
    init(
        _ file: any ByteSource,
        decoded: [UInt8]? = nil,
        _ resources: any ListResources,
        caches: ListCaches,
        url: String,
        _ options: LoadOptions
    ) {
        self.file = file
        self.decoded = decoded
        loader = PlaylistLoader(path: file.path, resources: resources, caches: caches)
        self.url = url
        self.options = options
    }

    /// The list; `nil` if the source is not a playlist.
    ///
    /// - Parameter noted: as for `SourceOpener.open`.
    /// - Throws: the error of a read, or `sourceNotMedia` if the source is a web page on a server, a list of channels,
    ///   or an invalid playlist.
    func open(after noted: Int, _ interrupt: InterruptFlag) throws(EngineError) -> SegmentListSource? {
        let head = try beginning(Self.headByteCount, interrupt)
        switch Self.kind(of: head) {
        case .other: return nil
        case .page:
            guard file.isRemote else { return nil }
            throw EngineError(.sourceNotMedia, "\(file.path) is a web page, not media")
        case .playlist: try refuseChannels(interrupt)
        }
        let bytes = if let decoded { decoded } else { try file.wholeBytes(byteLimit: HLSLimits.bytes, interrupt) }
        let playlist = try loader.parse(FetchedResource(bytes: bytes, url: url), name: file.path)
        var found = try presentation(playlist, interrupt)
        if found.content.growing != nil, loader.resources.isListKept {
            found = try presentation(loader.current(interrupt), interrupt)
        }
        let last = Locked(found)
        let source = SegmentListSource(
            path: file.path,
            isRemote: file.isRemote,
            found.content,
            found.facts,
            after: noted,
            resources: loader.resources
        ) { [self] load, interrupt throws(EngineError) in
            switch load {
            case .later(let directives, let variant):
                let now = try last.withLock { $0 }.reloaded(directives, leadBy: variant, by: loader, interrupt)
                last.withLock { $0.keepPlaylists(of: now) }
                return now
            case .afresh(let variant):
                let now = try presentation(loader.current(interrupt), leadBy: variant, interrupt)
                last.withLock { $0 = now }
                return now.content
            }
        }
        loader.caches.add(source)
        return source
    }

    private func beginning(_ count: Int, _ interrupt: InterruptFlag) throws(EngineError) -> [UInt8] {
        if let decoded { return Array(decoded.prefix(count)) }
        return try file.cursor(interrupt).read(at: 0, count: count)
    }

    /// - Throws: `sourceNotMedia` if each entry of the list is a separate source.
    private func refuseChannels(_ interrupt: InterruptFlag) throws(EngineError) {
        guard let list = ChannelList(try beginning(Self.listByteCount, interrupt)) else { return }
        let named = list.channels.prefix(Self.namedChannels).map { $0.name.isEmpty ? $0.url : $0.name }
        throw EngineError(
            .sourceNotMedia,
            "\(file.path) is an M3U list of channels, not media; load the address of one of them",
            cause: "it begins with \(named.joined(separator: ", ")); enginectl channels lists all of them"
        )
    }

    /// - Parameter variant: the variant to play; `nil` for the one that the options choose.
    private func presentation(
        _ playlist: HLSPlaylist,
        leadBy variant: Int? = nil,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> ListPresentation {
        switch playlist {
        case .media(let playlist):
            let list = try SegmentList(playlist, name: file.path)
            return ListPresentation(parts: [ListPart(list, isIndependent: playlist.isIndependent, playlist: playlist)])
        case .multivariant(let playlist):
            let opener = PresentationOpener(playlist, loader, isRemote: file.isRemote, options)
            return try opener.open(playing: variant, interrupt)
        }
    }

    private enum Kind { case playlist, page, other }

    private static func kind(of head: [UInt8]) -> Kind {
        let isMarked = head.starts(with: [0xEF, 0xBB, 0xBF])
        let text = head.dropFirst(isMarked ? 3 : 0).drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if text.starts(with: "#EXTM3U".utf8) { return .playlist }
        let start = String(decoding: text.prefix(15), as: UTF8.self).lowercased()
        return start.hasPrefix("<!doctype html") || start.hasPrefix("<html") ? .page : .other
    }
}
