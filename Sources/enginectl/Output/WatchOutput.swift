// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import EngineClient
internal import EngineJSON

/// Prints a watch as a panel or as JSON lines.
///
/// Owned by the command, and called by the task that follows a session and the one that reads keys. Writes one event at
/// a time, and never waits for the engine.
actor WatchOutput {
    private var model = WatchModel()
    private var panel: Panel?

    init(isPanel: Bool) { panel = isPanel ? Panel() : nil }

    func show(_ event: WatchEvent) throws(Failure) {
        model.apply(event)
        try line(event.json)
    }

    func showDisconnected(_ reason: String) throws(Failure) {
        model.disconnected(reason)
        try line(.object(("event", .string("disconnected")), ("reason", .string(reason))))
    }

    func showConnected() throws(Failure) {
        model.connected()
        try line(.object(("event", .string("connected"))))
    }

    /// Shows a line in the panel.
    func note(_ text: String) throws(Failure) {
        model.note(text)
        try draw()
    }

    /// Shows or hides the list of keys in the panel.
    func toggleHelp() throws(Failure) {
        model.toggleHelp()
        try draw()
    }

    private func line(_ json: @autoclosure () -> JSON) throws(Failure) {
        if panel != nil { try draw() } else { try Terminal.write(json().text) }
    }

    private func draw() throws(Failure) {
        // The line below the panel stays free for the cursor. A taller panel would scroll, and leave lines behind.
        let height = max(3, Terminal.height - 1)
        try panel?.draw(model.lines(width: Terminal.width, height: height, now: monotonicNanoseconds()))
    }
}
