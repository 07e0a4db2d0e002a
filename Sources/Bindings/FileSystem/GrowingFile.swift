// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime

/// Decides from repeated observations of a file whether it is still being written. Pure; times are in nanoseconds of
/// CLOCK_MONOTONIC.
package struct FileGrowth: Sendable {
    /// One observation of the file.
    package struct Observation: Sendable {
        package var byteCount: Int64
        /// Determined before the length. `nil` if it cannot be determined.
        package var hasWriter: Bool?

        package init(byteCount: Int64, hasWriter: Bool?) {
            self.byteCount = byteCount
            self.hasWriter = hasWriter
        }
    }

    private let quiet: Int64
    private var lastGrowth: Int64
    package private(set) var byteCount: Int64
    package private(set) var isEnded: Bool

    /// - Parameters:
    ///   - age: how long ago the file was written to.
    ///   - quiet: once nothing has been written to a file for this long, it has ended.
    package init(_ observation: Observation, age: Int64, quiet: Int64, now: Int64) {
        self.quiet = quiet
        byteCount = observation.byteCount
        lastGrowth = now - max(0, age)
        isEnded = observation.hasWriter == false || age >= quiet
    }

    package mutating func end() { isEnded = true }

    package mutating func update(_ observation: Observation, now: Int64) {
        if observation.byteCount > byteCount {
            byteCount = observation.byteCount
            lastGrowth = now
        } else if observation.hasWriter == false || observation.byteCount < byteCount || now - lastGrowth >= quiet {
            isEnded = true
        }
    }
}

/// A file that another program is still writing, such as a recording: reads at its end wait until more is written. It
/// has ended when no process has it open for writing any more, or when nothing was written to it for a while.
///
/// Thread-safety: safe. Reads block the calling thread.
package final class GrowingFile: Sendable {
    private struct State {
        var growth: FileGrowth
        /// The file's identity when it ended.
        var final: RegularFile.Identity?
        /// The last bytes of the file when it was opened, and when it was last seen to have grown.
        var opened: Mark
        var latest: Mark
    }

    /// Bytes that must not change.
    private struct Mark {
        let offset: Int64
        let bytes: [UInt8]

        /// The last bytes before `end`, except those of the header, which a muxer completes when it is done.
        init(before end: Int64, of file: RegularFile) throws(EngineError) {
            offset = max(GrowingFile.headerByteCount, end - GrowingFile.markByteCount)
            bytes = try file.bytes(offset..<max(offset, end))
        }

        func isKept(by file: RegularFile) throws(EngineError) -> Bool {
            try file.bytes(offset..<offset + Int64(bytes.count)) == bytes
        }
    }

    private static let markByteCount: Int64 = 4096
    private static let headerByteCount: Int64 = 64 << 10
    /// The time between two checks of the file by a reader at its end, in nanoseconds. Polling is necessary because
    /// some file systems, above all those on a network, do not report changes; a check of a file that has not grown
    /// does not touch the disk.
    private static let checkInterval: Int64 = 200_000_000

    private let file: RegularFile
    private let state: Locked<State>

    /// - Parameter quiet: once nothing has been written to a file for this long, it has ended.
    /// - Returns: `nil` if the file is not being written.
    package init?(_ file: RegularFile, quiet: Duration) throws(EngineError) {
        let quiet = Int64(quiet / .nanoseconds(1))
        let age = wallClockSeconds() &* 1_000_000_000 &- file.opened.modifiedNanoseconds
        // The common case needs no check of the file.
        guard age < quiet else { return nil }
        let now = monotonicNanoseconds()
        let growth = FileGrowth(
            .init(byteCount: file.byteCount, hasWriter: file.hasWriter),
            age: age,
            quiet: quiet,
            now: now
        )
        guard !growth.isEnded else { return nil }
        self.file = file
        let mark = try Mark(before: file.byteCount, of: file)
        state = Locked(State(growth: growth, opened: mark, latest: mark))
    }

    /// Checks the length and the writers of the file, and updates the state.
    private func check() throws(EngineError) {
        let hasWriter = file.hasWriter
        let status = try file.status()
        let known = byteCount
        let mark = status.byteCount > known ? try Mark(before: status.byteCount, of: file) : nil
        state.withLock { state in
            guard !state.growth.isEnded else { return }
            let observation = FileGrowth.Observation(byteCount: status.byteCount, hasWriter: hasWriter)
            state.growth.update(observation, now: monotonicNanoseconds())
            if let mark { state.latest = mark }
            if state.growth.isEnded { state.final = status }
        }
    }

    /// Waits until the file has the byte at `offset`.
    ///
    /// - Returns: `false` if the file ended before that byte.
    private func wait(for offset: Int64, _ wake: WakeSignal, _ interrupt: InterruptFlag) throws(EngineError) -> Bool {
        while offset >= byteCount {
            if interrupt.isUp { throw EngineError(.cancelled, "reading \(path) was interrupted") }
            try check()
            if offset < byteCount { break }
            if isEnded { return false }
            wake.wait(atMost: Self.checkInterval)
        }
        return true
    }

    private var isEnded: Bool { state.withLock { $0.growth.isEnded } }

    private final class Cursor: ByteCursor {
        private let file: GrowingFile
        private let cursor: any ByteCursor
        private let interrupt: InterruptFlag
        private let wake = WakeSignal()

        init(_ file: GrowingFile, _ interrupt: InterruptFlag) {
            self.file = file
            self.interrupt = interrupt
            cursor = file.file.cursor(interrupt)
            interrupt.add(wake)
        }

        deinit { interrupt.remove(wake) }

        var byteCount: Int64 { file.byteCount }
        var isGrowing: Bool { !file.isEnded }

        func read(at offset: Int64, into output: inout OutputRawSpan) throws(EngineError) -> Int {
            guard try file.wait(for: offset, wake, interrupt) else { return 0 }
            return try cursor.read(at: offset, into: &output)
        }
    }
}

extension GrowingFile: ByteSource {
    package var path: String { file.path }
    package var fileName: FilePath? { file.name }
    package var byteCount: Int64 { state.withLock { $0.growth.byteCount } }
    package var bytesRead: UInt64 { file.bytesRead }
    package var isRemote: Bool { false }
    package var growth: SourceGrowth? { isEnded ? nil : SourceGrowth(isRecording: true) }
    /// Once a check has found that the file has ended, the identity of the complete file, so that a plan cached under
    /// it is found when the file is opened again.
    package var identity: SourceIdentity { .file(state.withLock(\.final) ?? file.opened) }

    package func cursor(_ interrupt: InterruptFlag) -> any ByteCursor { Cursor(self, interrupt) }

    package func endGrowth() { state.withLock { $0.growth.end() } }

    /// A file that has only grown counts as the same file, even if a muxer has completed its header.
    package func verify() throws(EngineError) {
        let status = try file.status()
        let (byteCount, marks) = state.withLock { ($0.growth.byteCount, [$0.opened, $0.latest]) }
        var isKept = status.byteCount >= byteCount
        for mark in marks where isKept { isKept = try mark.isKept(by: file) }
        if !isKept { throw file.changed(to: status) }
    }
}

extension RegularFile {
    fileprivate func bytes(_ range: Range<Int64>) throws(EngineError) -> [UInt8] {
        let cursor = cursor(InterruptFlag())
        return try [UInt8](upTo: range.count) { output throws(EngineError) in
            var end = range.lowerBound
            while output.freeCapacity > 0 {
                let count = try cursor.read(at: end, into: &output)
                if count == 0 { return }
                end += Int64(count)
            }
        }
    }
}
