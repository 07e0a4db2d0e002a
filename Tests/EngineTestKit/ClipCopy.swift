// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A copy of a clip for a test that changes the file. Its modification time is an hour ago.
package struct ClipCopy: Sendable {
    /// A change to the file in place, which keeps the inode.
    package enum Change: String, CaseIterable, Sendable {
        /// Another clip is written over the file, as by `cp`.
        case overwritten
        /// Some bytes in the middle are replaced; the length stays.
        case patched
        case emptied
        case shortened
    }

    package let path: String

    package init(of clip: Clip) throws {
        let source = try clip.path()
        let copy = FileManager.default.temporaryDirectory
            .appending(path: "engine-\(UUID().uuidString)-\(clip.rawValue)")
        try Data(contentsOf: URL(filePath: source)).write(to: copy)
        path = copy.path
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3600)],
            ofItemAtPath: path
        )
    }

    package func make(_ change: Change) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        let length = try file.seekToEnd()
        switch change {
        case .overwritten:
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(contentsOf: URL(filePath: Clip.openGroups.path())))
        case .patched:
            try file.seek(toOffset: length / 2)
            try file.write(contentsOf: Data(repeating: 0x5A, count: 1000))
        case .emptied: try file.truncate(atOffset: 0)
        case .shortened: try file.truncate(atOffset: length / 2)
        }
        try file.close()
    }

    /// Replaces the file with another clip, as by `mv`.
    package func replace() throws {
        try Data(contentsOf: URL(filePath: Clip.openGroups.path())).write(to: URL(filePath: path), options: .atomic)
    }

    package func remove() { try? FileManager.default.removeItem(atPath: path) }
}
