// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
internal import Packaging
package import Reading

/// Finds the subtitle files of a source by their names, in its folder and, on this machine, in subtitle folders below it.
///
/// Lists folders and never opens a file. Owned by the session that loads the source; its thread ends with the actor.
package actor SidecarSearch {
    /// The result of a search.
    package struct Result: Sendable {
        /// The files, in the order in which they are listed as tracks.
        package var files: [SidecarRecord] = []
        /// The reasons why folders could not be listed.
        package var failures: [EngineError] = []
    }

    private let executor = ThreadExecutor(name: "sidecar")
    private nonisolated let interruptFlag = InterruptFlag()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    package init() {}

    /// Makes a running search return what it has found. Safe from any thread.
    package nonisolated func interrupt() { interruptFlag.raise() }

    /// Searches for subtitle files. Lists each folder once, whatever its size, and keeps only names that may matter.
    package func sidecars(of source: FilePath) -> Result {
        var result = Result()
        var matcher = SidecarMatcher(source: source.name)
        let folder = source.folder
        do throws(Errno) {
            var directory = try Directory(folder)
            let inner = try list(&directory, at: [], into: &matcher) { SidecarMatcher.isSubtitleFolder($0) }
            for name in inner {
                do throws(Errno) {
                    var subtitles = try Directory(name, beneath: directory)
                    for own in try list(&subtitles, at: name, into: &matcher, matcher.isOwnFolder) {
                        var owned = try Directory(own, beneath: subtitles)
                        _ = try list(&owned, at: FilePath(name).appending(own).bytes, into: &matcher) { _ in false }
                    }
                } catch {
                    result.failures += Self.failure(error, folder.appending(name))
                }
            }
        } catch {
            result.failures += Self.failure(error, folder)
        }
        let beneath = folder.text
        result.files = matcher.sidecars.map { name in
            SidecarRecord(sidecar: Sidecar(path: folder.appending(name).text), foundBeneath: beneath)
        }
        return result
    }

    /// Searches the folder of a source on a server. A folder that cannot be listed is a failure.
    package func sidecars(in folder: ServedFolder) -> Result {
        var result = Result()
        var matcher = SidecarMatcher(source: folder.sourceName)
        do throws(EngineError) {
            for name in try folder.names(interrupt: interruptFlag) ?? [] { matcher.add(name) }
        } catch {
            let text = "\(folder.shown) could not be listed to find subtitle files"
            result.failures.append(EngineError(error.code, text, cause: "\(error)"))
        }
        result.files = matcher.sidecars.compactMap { name in
            folder.shown(name).map { SidecarRecord(sidecar: Sidecar(path: $0), foundBeneath: folder.shown) }
        }
        return result
    }

    /// Passes the names in a folder to the matcher.
    ///
    /// - Returns: the names of wanted entries that may be folders.
    private func list(
        _ directory: inout Directory,
        at path: [UInt8],
        into matcher: inout SidecarMatcher,
        _ isWanted: ([UInt8]) -> Bool
    ) throws(Errno) -> [[UInt8]] {
        var folders: [[UInt8]] = []
        while !interruptFlag.isUp, let entry = try directory.next() {
            if entry.mayBeFolder, isWanted(entry.name) {
                folders.append(entry.name)
            } else {
                matcher.add(FilePath(path).appending(entry.name).bytes)
            }
        }
        return folders.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// A missing folder, or a file or link that only has the name of a subtitle folder, is not a failure.
    private static func failure(_ error: Errno, _ folder: FilePath) -> [EngineError] {
        if error.isNotFound || error.isForeignLink { return [] }
        let code: EngineError.Code = error.isPermissionDenied ? .sourceAccessDenied : .sourceReadFailed
        return [EngineError(code, "\(folder) could not be searched for subtitle files", cause: "\(error)")]
    }
}
