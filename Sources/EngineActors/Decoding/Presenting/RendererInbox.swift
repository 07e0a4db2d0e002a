// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Commands that wait for a renderer. Only the latest of each kind is kept, so that no sender can make the inbox grow.
struct RendererInbox {
    private var commands: [RendererCommand] = []

    /// A load makes all commands before it pointless; a seek only earlier seeks.
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
    /// Whether `later` makes this command unnecessary.
    fileprivate func isReplaced(by later: RendererCommand.Action) -> Bool {
        switch (self, later) {
        case (.play, .play), (.play, .pause), (.pause, .play), (.pause, .pause), (.seek, .seek), (.rate, .rate),
            (.volume, .volume), (.muted, .muted), (.stop, .stop), (.load, .load):
            true
        default: false
        }
    }
}
