// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Commands that wait for a renderer. Of each kind the latest is kept, so that nobody can make it grow.
struct RendererInbox {
    private var commands: [RendererCommand] = []

    /// A load makes all before it pointless; so does a seek, of seeks and of nothing else.
    mutating func add(_ command: RendererCommand) {
        if case .load = command.action { commands = [] }
        commands.removeAll { $0.action.isReplaced(by: command.action) }
        commands.append(command)
    }

    mutating func takeAll() -> [RendererCommand] {
        defer { commands = [] }
        return commands
    }
}

extension RendererCommand.Action {
    /// Whether this need not be done when `later` is.
    fileprivate func isReplaced(by later: RendererCommand.Action) -> Bool {
        switch (self, later) {
        case (.play, .play), (.play, .pause), (.pause, .play), (.pause, .pause), (.seek, .seek), (.rate, .rate),
            (.volume, .volume), (.muted, .muted), (.stop, .stop), (.load, .load):
            true
        default: false
        }
    }
}
