// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime

/// Keeps one small file that outlives the process, on a thread of its own.
///
/// Never knows what is in it. Owned by the process's journal. Of two engines with one directory the second is refused: they
/// would undo each other's work.
package actor JournalStore {
    /// More than as many sessions as there may be take.
    private static let largestFile = 64 << 20

    private let executor = ThreadExecutor(name: "journal")
    private let directory: String
    private let path: String
    private var lock: FileLock?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    package init(directory: String, name: String) {
        self.directory = directory
        path = "\(directory)/\(name)"
    }

    /// What the process before left.
    package enum Left: Sendable {
        /// The usual first start.
        case nothing
        case bytes([UInt8])
        /// There is something that cannot be read, and why.
        case unreadable(String)
    }

    /// What was written last. Takes the directory for this process.
    ///
    /// - Throws: `unavailable` when another engine has the directory.
    package func open() throws(EngineError) -> Left {
        do throws(Errno) {
            lock = try FileLock("\(path).lock", makingDirectory: directory)
        } catch {
            let code: EngineError.Code = error.isHeldElsewhere ? .unavailable : .internal
            throw EngineError(code, "\(directory) cannot be used for the journal", cause: "\(error)")
        }
        do throws(RegularFile.OpenError) {
            let file = try RegularFile(path: path)
            guard file.byteCount <= Self.largestFile else { return .unreadable("it has \(file.byteCount) bytes") }
            do throws(Errno) {
                return .bytes(try file.read(at: 0, count: Int(file.byteCount)))
            } catch {
                return .unreadable("\(error)")
            }
        } catch {
            switch error {
            case .failed(let error) where error.isNotFound: return .nothing
            case .failed(let error): return .unreadable("\(error)")
            case .notRegular(let kind): return .unreadable("it is \(kind)")
            }
        }
    }

    /// Replaces the file as a whole: a reader sees the old content or the new.
    package func write(_ bytes: [UInt8]) throws(EngineError) {
        guard bytes.count <= Self.largestFile else {
            throw EngineError(
                .resourceExhausted,
                "\(path) would have \(bytes.count) bytes, which nobody would read again"
            )
        }
        do throws(Errno) {
            // The lock is what makes one name enough.
            try SmallFile.write(bytes, to: path, makingDirectory: directory, through: "\(path).tmp")
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
