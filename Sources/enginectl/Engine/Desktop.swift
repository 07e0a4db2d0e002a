// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The user's desktop, which has a browser.
enum Desktop {
    static var isPresent: Bool {
        let environment = ProcessInfo.processInfo.environment
        return ["WAYLAND_DISPLAY", "DISPLAY"].contains { environment[$0]?.isEmpty == false }
    }

    /// Opens a URL with `xdg-open`, through a page that only the user can read: the arguments of a process are visible to
    /// every user of the machine, and the URL is a secret.
    static func open(_ url: String) throws(Failure) {
        let directory = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] ?? NSTemporaryDirectory()
        let page = "\(directory)/enginectl-web-\(UUID().uuidString).html"
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
}
