// SPDX-License-Identifier: Apache-2.0

/// Commands that a renderer has not read yet: the latest of each kind, in order. Its length is bounded by the number of
/// kinds, so no sender can make it grow.
package struct RendererInbox: Sendable {
    private enum Kind {
        case load, transport, seek, rate, volume, muted, stop

        init(_ action: RendererCommand.Action) {
            switch action {
            case .load: self = .load
            case .play, .pause: self = .transport
            case .seek: self = .seek
            case .rate: self = .rate
            case .volume: self = .volume
            case .muted: self = .muted
            case .stop: self = .stop
            }
        }
    }

    private var commands: [RendererCommand] = []

    package init() {}

    package mutating func add(_ command: RendererCommand) {
        let kind = Kind(command.action)
        commands.removeAll { earlier in
            let earlier = Kind(earlier.action)
            return switch kind {
            case .stop: true
            // Seeks in the previous source have no meaning in the new one.
            case .load: earlier == .load || earlier == .seek
            default: earlier == kind
            }
        }
        commands.append(command)
    }

    package mutating func next() -> RendererCommand? { commands.isEmpty ? nil : commands.removeFirst() }

    package mutating func takeAll() -> [RendererCommand] {
        defer { commands = [] }
        return commands
    }
}
