// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import EngineModel

/// A sidecar subtitle file, with what libavformat needs to open it.
package struct SidecarInput: Sendable {
    package enum Bytes: Sendable {
        case memory([UInt8])
        case file(RegularFile)
    }

    /// The `.sub` file that a VobSub index refers to.
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
    /// Opens a subtitle file with the given demuxer. The demuxer can open no file but the VobSub pictures, which must
    /// live as long as the context.
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
            return try open(store: file.cursor(interrupt), for: .reading, as: known, interrupt: interrupt)
        }
    }
}
