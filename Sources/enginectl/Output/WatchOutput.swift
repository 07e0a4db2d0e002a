// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import EngineClient

/// Prints a watch as a panel or as JSON lines.
struct WatchOutput: Sendable {
    private var model = WatchModel()
    private var panel: Panel?

    init(isPanel: Bool) { panel = isPanel ? Panel() : nil }

    mutating func show(_ event: WatchEvent) {
        model.apply(event)
        line(event.json)
    }

    mutating func showDisconnected(_ reason: String) {
        model.disconnected(reason)
        line(.object(("event", .string("disconnected")), ("reason", .string(reason))))
    }

    mutating func showConnected() {
        model.connected()
        line(.object(("event", .string("connected"))))
    }

    private mutating func line(_ json: @autoclosure () -> JSON) {
        if panel != nil {
            panel?.draw(model.lines(width: Terminal.width, now: monotonicNanoseconds()))
        } else {
            Terminal.write(json().text)
        }
    }
}
