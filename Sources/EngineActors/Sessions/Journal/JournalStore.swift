// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime

/// Keeps one small file that outlives the process. Runs on a thread of its own.
///
/// Never looks at the content. Owned by the process's journal. A second engine that uses the same directory is refused:
/// the two would overwrite each other's file.
package actor JournalStore {
    /// In bytes. More than the largest allowed number of sessions needs.
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

    /// What the previous process left.
    package enum Left: Sendable {
        /// No file, as at the first start.
        case nothing
        case bytes([UInt8])
        /// The file cannot be read, for this reason.
        case unreadable(String)
    }

    /// Locks the directory for this process and reads what was written last.
    ///
    /// - Throws: `unavailable` if another engine holds the directory, `internal` if the lock cannot be taken for
    ///   another reason.
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

    /// Replaces the file atomically: a reader sees either the old content or the new.
    package func write(_ bytes: [UInt8]) throws(EngineError) {
        guard bytes.count <= Self.largestFile else {
            throw EngineError(
                .resourceExhausted,
                "\(path) would have \(bytes.count) bytes, the limit is \(Self.largestFile)"
            )
        }
        do throws(Errno) {
            // Thanks to the lock, one name for the temporary file is enough.
            try SmallFile.write(bytes, to: path, makingDirectory: directory, through: "\(path).tmp")
        } catch {
            throw EngineError(.internal, "\(path) cannot be written", cause: "\(error)")
        }
    }

    /// Moves the file out of the way, replacing one that was moved earlier.
    ///
    /// - Returns: the new path.
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
            // A file that stays is restored at the next start, which does no harm.
        }
    }
}
