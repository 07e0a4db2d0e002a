// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import Foundation
internal import Glibc
internal import Testing

@testable import Bindings

/// A folder with files, and a folder outside it.
private final class Place {
    let root: FilePath
    var folder: FilePath { root.appending("films".utf8) }

    init() throws {
        let path = NSTemporaryDirectory() + "/place-\(UUID().uuidString)"
        root = FilePath(path)
        let files = FileManager.default
        try files.createDirectory(atPath: "\(path)/films/Subs", withIntermediateDirectories: true)
        try files.createDirectory(atPath: "\(path)/outside", withIntermediateDirectories: true)
        for name in ["films/film.srt", "films/Subs/film.srt", "outside/secret.srt"] {
            try Data(name.utf8).write(to: URL(filePath: "\(path)/\(name)"))
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: root.text) }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(root)/\(name)", withDestinationPath: target)
    }

    /// The text of a file that was found.
    func read(_ name: String) throws -> String {
        let file = try RegularFile(Array(name.utf8), foundBeneath: folder)
        return String(decoding: try file.read(at: 0, count: 100), as: UTF8.self)
    }
}

@Suite("Folders and the files found in them", .timeLimit(.minutes(10)))
struct DirectoryTests {
    @Test("Every entry is listed once, whatever bytes its name has")
    func entries() throws {
        let place = try Place()
        let strange: [UInt8] = [0x61, 0xFF, 0x0A]
        close(try NamedFile.open(place.folder.appending(strange).bytes, flags: O_WRONLY | O_CREAT, mode: 0o600))
        var directory = try Directory(place.folder)
        var names: [[UInt8]] = []
        while let entry = try directory.next() {
            names.append(entry.name)
            #expect(entry.mayBeFolder == (entry.name == Array("Subs".utf8)))
        }
        #expect(Set(names) == [Array("film.srt".utf8), Array("Subs".utf8), strange])
        #expect(names.count == 3)
    }

    @Test("Opening a missing folder, or a file as a folder, fails with its own error")
    func noFolder() throws {
        let place = try Place()
        #expect(throws: Errno(code: ENOENT, in: "open")) { _ = try Directory(place.root.appending("none".utf8)) }
        #expect(throws: Errno(code: ENOTDIR, in: "open")) { _ = try Directory(place.folder.appending("film.srt".utf8)) }
    }

    @Test("A link within the folder is followed, and so is a link of this user that leads out of it")
    func links() throws {
        let place = try Place()
        try place.link("films/in.srt", to: "Subs/film.srt")
        try place.link("films/out.srt", to: "\(place.root)/outside/secret.srt")
        try place.link("films/up.srt", to: "../outside/secret.srt")
        #expect(try place.read("film.srt") == "films/film.srt")
        #expect(try place.read("Subs/film.srt") == "films/Subs/film.srt")
        #expect(try place.read("in.srt") == "films/Subs/film.srt")
        #expect(try place.read("out.srt") == "outside/secret.srt")
        #expect(try place.read("up.srt") == "outside/secret.srt")
    }

    @Test(
        "Another user's link that leads out of the folder is refused",
        .enabled(if: geteuid() == 0, "only root can make links of another user")
    )
    func foreignLinks() throws {
        let place = try Place()
        try place.link("films/out.srt", to: "\(place.root)/outside/secret.srt")
        try place.link("films/in.srt", to: "film.srt")
        try place.link("films/chain.srt", to: "\(place.folder)/out.srt")
        for name in ["out", "in"] {
            let status = unsafe lchown("\(place.folder)/\(name).srt", 12_345, 12_345)
            try #require(status == 0)
        }
        #expect(try place.read("in.srt") == "films/film.srt")
        // `chain.srt` is a link of this user to the link of the other user.
        for name in ["out.srt", "chain.srt"] {
            #expect {
                try place.read(name)
            } throws: { error in
                guard case .failed(let errno)? = error as? RegularFile.OpenError else { return false }
                return errno.isForeignLink
            }
        }
    }

    @Test("A link to a folder outside is not opened as a folder for subtitles", arguments: ["../outside", "/"])
    func folderLinks(_ target: String) throws {
        let place = try Place()
        try place.link("films/Subtitles", to: target)
        let directory = try Directory(place.folder)
        #expect(throws: Errno(code: EXDEV, in: "openat2")) {
            _ = try Directory(Array("Subtitles".utf8), beneath: directory)
        }
        #expect(throws: RegularFile.OpenError.self) { try place.read("Subtitles/secret.srt") }
        #expect(throws: RegularFile.OpenError.self) { try place.read("../outside/secret.srt") }
    }
}

@Suite("Files whose names are any bytes", .timeLimit(.minutes(10)))
struct NamedFileTests {
    @Test("A path of any bytes and any length is opened")
    func deep() throws {
        let place = try Place()
        var path = place.folder
        var folders = [path]
        for _ in 0..<40 {
            path = path.appending([UInt8](repeating: 0xE9, count: 200))
            // Made one below the other, because the kernel does not accept a path this long.
            let parent = try NamedFile.open(folders.last?.bytes ?? [], flags: O_RDONLY | O_DIRECTORY)
            defer { close(parent) }
            let isMade = unsafe path.name.withCString { unsafe mkdirat(parent, $0, 0o700) } == 0
            try #require(isMade)
            folders.append(path)
        }
        let file = path.appending("film.mkv".utf8)
        #expect(file.bytes.count > 8000)
        close(try NamedFile.open(file.bytes, flags: O_WRONLY | O_CREAT, mode: 0o600))
        #expect(try RegularFile(file).byteCount == 0)
        #expect(NamedFile.exists(file.bytes))
        #expect(!NamedFile.exists(file.bytes + [0x78]))
        // The cleanup in `deinit` cannot remove paths this long.
        unlinkAll(file, folders.dropFirst())
    }

    private func unlinkAll(_ file: FilePath, _ folders: ArraySlice<FilePath>) {
        func remove(_ path: FilePath, _ flags: CInt) {
            guard let parent = try? NamedFile.open(path.folder.bytes, flags: O_RDONLY | O_DIRECTORY) else { return }
            _ = unsafe path.name.withCString { unsafe unlinkat(parent, $0, flags) }
            close(parent)
        }
        remove(file, 0)
        for folder in folders.reversed() { remove(folder, AT_REMOVEDIR) }
    }

    @Test("A component that is too long fails with the kernel's error")
    func tooLong() {
        let name = [UInt8](repeating: 0x61, count: 5000)
        #expect(throws: SystemError(ENAMETOOLONG, in: "open")) { _ = try NamedFile.open(name, flags: O_RDONLY) }
        #expect(throws: SystemError(ENAMETOOLONG, in: "open")) {
            _ = try NamedFile.open([UInt8(ascii: "/")] + name, flags: O_RDONLY)
        }
    }
}

extension [UInt8] {
    fileprivate func withCString(_ body: (UnsafePointer<CChar>) -> CInt) -> CInt {
        let text = map { CChar(bitPattern: $0) } + [0]
        return unsafe text.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return -1 }
            return unsafe body(start)
        }
    }
}
