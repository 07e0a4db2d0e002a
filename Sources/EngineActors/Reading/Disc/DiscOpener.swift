// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Opens a source that turns out to be a disc, judged by its content.
struct DiscOpener {
    private static let imageExtensions = ["iso", "img", "udf"]

    let choice: TitleChoice

    /// The ranges of a resource on a server that are probably read first, if its name is usual for images; otherwise
    /// empty. The name decides only what is fetched together: whether a resource is an image depends on its content.
    static func expectedReads(of url: ResourceURL) -> [Range<Int64>] {
        guard url.scheme.isHTTP, let name = url.fileName else { return [] }
        let fileExtension = String(decoding: name, as: UTF8.self).split(separator: ".").dropFirst().last
        return imageExtensions.contains(fileExtension?.lowercased() ?? "") ? ImageBytes.usualReads : []
    }

    /// Opens a local folder: the top folder of a disc, or `BDMV` or `VIDEO_TS` in it.
    ///
    /// - Returns: `nil` if it is not a disc.
    func open(folder: FilePath, _ interrupt: InterruptFlag) throws(EngineError) -> TitleSource? {
        let trimmed = FilePath(Self.withoutSlashes(folder.bytes))
        let name = String(decoding: trimmed.name, as: UTF8.self).lowercased()
        let isData = name == "bdmv" || name == "video_ts"
        let tops = isData ? [trimmed.folder, trimmed] : [trimmed]
        for top in tops {
            if let title = try open(FolderFiles(top, path: trimmed.text), interrupt) { return title }
        }
        return nil
    }

    /// Opens the image of a disc, recognised by its content.
    ///
    /// - Returns: `nil` if it is not the image of a disc.
    /// - Throws: `sourceNotMedia` if the image is damaged, or if its disc has neither Blu-ray nor DVD video.
    func open(image: any ByteSource, _ interrupt: InterruptFlag) throws(EngineError) -> TitleSource? {
        guard let files = try ImageFiles(image, interrupt) else { return nil }
        if let title = try open(files, interrupt) { return title }
        throw EngineError(
            .sourceNotMedia,
            "\(image.path) is the image of a disc without Blu-ray or DVD video",
            cause: "it has neither BDMV with an index or playlists nor VIDEO_TS"
        )
    }

    private func open(_ files: any DiscFiles, _ interrupt: InterruptFlag) throws(EngineError) -> TitleSource? {
        if let disc = try BluRayDisc(files, interrupt) { return try disc.open(choice, interrupt) }
        return try DVDDisc(files, interrupt)?.open(choice, interrupt)
    }

    private static func withoutSlashes(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        return bytes
    }
}
