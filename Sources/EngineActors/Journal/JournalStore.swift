// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime

/// Keeps one small file that outlives the process, on a thread of its own.
///
/// Never knows what is in it. Owned by the process's journal. Of two engines with one directory the second is refused: they
/// would undo each other's work.
package actor JournalStore {
    private static let largestFile = 16 << 20

    private let executor = ThreadExecutor(name: "journal")
    private let directory: String
    private let path: String
    private var lock: FileLock?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    package init(directory: String, name: String) {
        self.directory = directory
        path = "\(directory)/\(name)"
    }

    /// What was written last; empty when nothing was. Takes the directory for this process.
    ///
    /// - Throws: `unavailable` when another engine has the directory.
    package func open() throws(EngineError) -> [UInt8] {
        do throws(Errno) {
            lock = try FileLock("\(path).lock", makingDirectory: directory)
        } catch {
            let code: EngineError.Code = error.isHeldElsewhere ? .unavailable : .internal
            throw EngineError(code, "\(directory) cannot be used for the journal", cause: "\(error)")
        }
        do throws(RegularFile.OpenError) {
            return try SmallFile.read(path, limit: Self.largestFile)
        } catch {
            // The usual first start.
            return []
        }
    }

    /// Replaces the file as a whole: a reader sees the old content or the new.
    package func write(_ bytes: [UInt8]) throws(EngineError) {
        do throws(Errno) {
            try SmallFile.write(bytes, to: path, makingDirectory: directory)
        } catch {
            throw EngineError(.internal, "\(path) cannot be written", cause: "\(error)")
        }
    }

    /// Moves the file out of the way, over an older one that was. Returns where it is now.
    package func setAside() throws(EngineError) -> String {
        let place = "\(path).unreadable"
        do throws(Errno) {
            try SmallFile.move(path, to: place)
        } catch {
            throw EngineError(.internal, "\(path) cannot be moved to \(place)", cause: "\(error)")
        }
        return place
    }

    package func remove() {
        do throws(Errno) { try SmallFile.remove(path) } catch {
            // What stays is restored at the next start, which is no harm.
        }
    }
}
