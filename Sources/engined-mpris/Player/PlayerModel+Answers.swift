// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The result of a call: a reply, or work for the engine.
enum PlayerAnswer: Hashable, Sendable {
    case reply([DBusValue])
    /// Commands for the session, in order. The call is answered when all are done.
    case perform([PlayerCommand])
    /// Pause and seek to the start of the source; see `Stopping`.
    case stop
    /// A source to open and play.
    case open(String)
}

extension PlayerModel {
    /// Decides the result of a call. Pure.
    func answer(_ call: DBusCall, now: Int64) throws(DBusError) -> PlayerAnswer {
        guard call.path == MPRIS.objectPath else {
            if call.member == "Introspect", let document = Introspection.document(of: call.path) {
                return .reply([.string(document)])
            }
            throw DBusError(.unknownObject, "no object at \(call.path)")
        }
        switch call.interface {
        case MPRIS.introspectable, MPRIS.properties, MPRIS.root, MPRIS.player, nil: break
        case let other?: throw DBusError(.unknownInterface, "unknown interface \(other)")
        }
        guard call.arguments.count <= 3 else { throw DBusError(.invalidArguments, "too many arguments") }
        let isAddressed = { (interface: String) in call.interface ?? interface == interface }
        switch call.member {
        case "Introspect" where isAddressed(MPRIS.introspectable):
            return .reply(Introspection.document(of: call.path).map { [.string($0)] } ?? [])
        case "Get" where isAddressed(MPRIS.properties): return try get(call, now)
        case "GetAll" where isAddressed(MPRIS.properties): return try getAll(call, now)
        case "Set" where isAddressed(MPRIS.properties): return try set(call)
        case "Raise" where isAddressed(MPRIS.root), "Quit" where isAddressed(MPRIS.root): return .reply([])
        default:
            if isAddressed(MPRIS.player), let answer = try control(call, now) { return answer }
            throw DBusError(.unknownMethod, "unknown method \(call.member)")
        }
    }
}
