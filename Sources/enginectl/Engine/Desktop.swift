// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The user's desktop, which has a browser.
enum Desktop {
    private static let pagePrefix = "enginectl-web-"
    /// How long a ticket is valid, in seconds.
    private static let ticketLifetime: TimeInterval = 600

    static var isPresent: Bool {
        let environment = ProcessInfo.processInfo.environment
        return ["WAYLAND_DISPLAY", "DISPLAY"].contains { environment[$0]?.isEmpty == false }
    }

    /// Opens a URL with `xdg-open`, through a page that only the user can read: the arguments of a process are visible to
    /// every user of the machine, and the URL is a secret.
    static func open(_ url: String) throws(Failure) {
        let directory = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] ?? NSTemporaryDirectory()
        removeOldPages(in: directory)
        let page = "\(directory)/\(pagePrefix)\(UUID().uuidString).html"
        let text = "<!doctype html><meta http-equiv=refresh content=\"0;url=\(url)\"><title>engined</title>\n"
        let isMade = FileManager.default.createFile(
            atPath: page,
            contents: Data(text.utf8),
            attributes: [.posixPermissions: 0o600]
        )
        guard isMade else { throw Failure(.failed, "cannot write \(page), through which the browser is opened") }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["xdg-open", page]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            throw Failure(.failed, "cannot start xdg-open: \(error.localizedDescription)")
        }
    }

    /// The browser does not report when it has read a page, so each call removes the pages whose tickets have expired.
    private static func removeOldPages(in directory: String) {
        let manager = FileManager.default
        let names: [String]
        do { names = try manager.contentsOfDirectory(atPath: directory) } catch {
            // Pages that cannot be listed stay.
            return
        }
        for name in names where name.hasPrefix(pagePrefix) {
            let path = "\(directory)/\(name)"
            do {
                let made = try manager.attributesOfItem(atPath: path)[.modificationDate] as? Date
                if let made, -made.timeIntervalSinceNow > ticketLifetime { try manager.removeItem(atPath: path) }
            } catch {
                // Another process has removed it, or it stays.
            }
        }
    }
}
