// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension Sidecar {
    init(wire: Proto.SubtitleFile) throws(EngineError) {
        var sidecar = Sidecar(path: wire.path)
        sidecar.charset = wire.charset
        sidecar.language = wire.language
        sidecar.title = wire.title
        sidecar.httpHeaders = try [HTTPHeader](wire: wire.httpHeaders)
        sidecar.isShown = wire.show
        self = try sidecar.checked()
    }

    var wire: Proto.SubtitleFile {
        var wire = Proto.SubtitleFile()
        wire.path = path
        wire.charset = charset
        wire.language = language
        wire.title = title
        wire.httpHeaders = httpHeaders.map(\.wire)
        wire.show = isShown
        return wire
    }

    /// Decodes the subtitle files of a load.
    static func list(wire: [Proto.SubtitleFile]) throws(EngineError) -> [Sidecar] {
        guard wire.count <= countLimit else { throw .invalid("subtitle_files", "has more than \(countLimit) entries") }
        return try wire.enumerated().map { place, file throws(EngineError) in
            do throws(EngineError) { return try Sidecar(wire: file) } catch {
                throw error.below("subtitle_files[\(place)]")
            }
        }
    }
}
