// SPDX-License-Identifier: Apache-2.0

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

    /// The text of the named file, which must exist, or of the first existing default file; `nil` if there is none.
    static func read(
        named name: String?,
        environment: [String: String]
    ) throws(SettingsError) -> (text: String, path: String)? {
        for path in name.map({ [$0] }) ?? places(environment: environment) {
            do {
                let data = try Data(contentsOf: URL(filePath: path), options: .uncached)
                guard data.count <= 1 << 20 else { throw SettingsError(path, "exceeds the limit of 1 MiB") }
                return (String(decoding: data, as: UTF8.self), path)
            } catch let error as SettingsError {
                throw error
            } catch let error as CocoaError where error.code == .fileReadNoSuchFile && name == nil {
                continue
            } catch {
                throw SettingsError(path, "cannot be read: \(error.localizedDescription)")
            }
        }
        return nil
    }
}
