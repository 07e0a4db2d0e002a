// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import EngineClient

/// Prints a watch as a panel or as JSON lines.
struct WatchOutput: Sendable {
    private var model = WatchModel()
    private var panel: Panel?

    init(isPanel: Bool) { panel = isPanel ? Panel() : nil }

    mutating func show(_ event: WatchEvent) throws(Failure) {
        model.apply(event)
        try line(event.json)
    }

    mutating func showDisconnected(_ reason: String) throws(Failure) {
        model.disconnected(reason)
        try line(.object(("event", .string("disconnected")), ("reason", .string(reason))))
    }

    mutating func showConnected() throws(Failure) {
        model.connected()
        try line(.object(("event", .string("connected"))))
    }

    private mutating func line(_ json: @autoclosure () -> JSON) throws(Failure) {
        if panel != nil {
            try panel?.draw(model.lines(width: Terminal.width, now: monotonicNanoseconds()))
        } else {
            try Terminal.write(json().text)
        }
    }
}
