// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import Foundation

/// Finds and reads the settings file.
enum SettingsFile {
    /// `$XDG_CONFIG_HOME/engined/engined.conf` (by default below `~/.config`), then `/etc/engined/engined.conf`.
    static func places(environment: [String: String]) -> [String] {
        var places: [String] = []
        if let home = environment["XDG_CONFIG_HOME"], home.hasPrefix("/") {
            places.append("\(home)/engined/engined.conf")
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            places.append("\(home)/.config/engined/engined.conf")
        }
        return places + ["/etc/engined/engined.conf"]
    }

    private static let byteLimit = 1 << 20

    /// The text of the named file, which must exist, or of the first existing default file; `nil` if there is none.
    ///
    /// - Parameter name: as `ByteText`, like the text that is returned.
    static func read(
        named name: String?,
        environment: [String: String]
    ) throws(SettingsError) -> (text: String, path: String)? {
        for place in name.map({ [$0] }) ?? places(environment: environment) {
            let file = FilePath(ByteText.bytes(of: place))
            do {
                let bytes = try contents(of: file)
                guard bytes.count <= byteLimit else { throw SettingsError(file.text, "exceeds the limit of 1 MiB") }
                return (ByteText.text(of: bytes), file.text)
            } catch let error as SettingsError {
                throw error
            } catch let error as SystemError where error.code == ENOENT && name == nil {
                continue
            } catch let error as SystemError {
                throw SettingsError(file.text, "cannot be read: \(error)")
            } catch {
                throw SettingsError(file.text, "cannot be read: \(error.localizedDescription)")
            }
        }
        return nil
    }

    /// Reads the file up to one byte beyond `byteLimit`, which shows the caller that the file is too long.
    private static func contents(of file: FilePath) throws -> [UInt8] {
        let descriptor = try NamedFile.open(file.bytes, flags: O_RDONLY)
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var bytes: [UInt8] = []
        while bytes.count <= byteLimit, let more = try handle.read(upToCount: byteLimit + 1 - bytes.count),
            !more.isEmpty
        {
            bytes += more
        }
        return bytes
    }
}
