// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Opens a source that turns out to be a disc, by what it has.
struct DiscOpener {
    let choice: TitleChoice

    /// Opens a local folder: that of the disc, or the folder of its data in it.
    ///
    /// - Returns: `nil` if it is not a disc.
    func open(folder: FilePath, _ interrupt: InterruptFlag) throws(EngineError) -> TitleSource? {
        let trimmed = FilePath(Self.withoutSlashes(folder.bytes))
        let isData = String(decoding: trimmed.name, as: UTF8.self).lowercased() == "bdmv"
        let tops = isData ? [trimmed.folder, trimmed] : [trimmed]
        for top in tops {
            if let title = try open(FolderFiles(top, path: trimmed.text), interrupt) { return title }
        }
        return nil
    }

    private func open(_ files: any DiscFiles, _ interrupt: InterruptFlag) throws(EngineError) -> TitleSource? {
        try BluRayDisc(files, interrupt)?.open(choice, interrupt)
    }

    private static func withoutSlashes(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        return bytes
    }
}
