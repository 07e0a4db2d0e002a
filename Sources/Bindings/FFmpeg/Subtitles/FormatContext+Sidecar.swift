// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import EngineModel

/// The bytes of a file of subtitles, and what it is.
package struct SidecarInput: Sendable {
    package enum Bytes: Sendable {
        case memory([UInt8])
        case file(RegularFile)
    }

    /// The pictures that an index of VobSub points into.
    package enum Pictures: Sendable {
        case memory(MemoryFile)
        case file(RegularFile)

        fileprivate var path: String {
            switch self {
            case .memory(let file): file.descriptorPath
            case .file(let file): file.descriptorPath
            }
        }
    }

    package var bytes: Bytes
    /// libavformat's name of the demuxer.
    package var demuxer: String
    package var pictures: Pictures?
    /// Private options of the demuxer.
    package var options: [(name: String, value: String)] = []

    package init(_ bytes: Bytes, demuxer: String, pictures: Pictures? = nil) {
        self.bytes = bytes
        self.demuxer = demuxer
        self.pictures = pictures
    }
}

extension FormatContext {
    /// Opens a file of subtitles with the one demuxer that it is for. Nothing else is opened but the pictures of VobSub, which
    /// must live as long as the context.
    package static func open(
        _ input: SidecarInput,
        interrupt: InterruptFlag
    ) throws(FFmpegError) -> FormatContext {
        var known = KnownFormat(name: input.demuxer, formats: input.demuxer, options: input.options)
        if let pictures = input.pictures {
            known.formats += ",mpeg"
            known.protocols = "file"
            known.options.append(("sub_name", pictures.path))
        }
        switch input.bytes {
        case .memory(let bytes):
            return try open(store: MemoryStore(bytes), for: .reading, as: known, interrupt: interrupt)
        case .file(let file):
            return try open(store: file, for: .reading, as: known, interrupt: interrupt)
        }
    }
}
