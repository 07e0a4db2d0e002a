// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

// org.freedesktop.DBus.Properties of the player's object.
extension PlayerModel {
    func get(_ call: DBusCall, _ now: Int64) throws(DBusError) -> PlayerAnswer {
        guard case (.string(let interface)?, .string(let name)?, nil) = (call.first, call.second, call.third) else {
            throw .badProperties
        }
        guard let value = try values(of: interface, now)[name] else { throw .unknown(name) }
        return .reply([.variant(value)])
    }

    func getAll(_ call: DBusCall, _ now: Int64) throws(DBusError) -> PlayerAnswer {
        guard case (.string(let interface)?, nil) = (call.first, call.second) else { throw .badProperties }
        return .reply([.dictionary(try values(of: interface, now))])
    }

    func set(_ call: DBusCall) throws(DBusError) -> PlayerAnswer {
        guard case .string(let interface)? = call.first, case .string(let name)? = call.second,
            case .variant(let value)? = call.third
        else {
            throw .badProperties
        }
        guard try values(of: interface, 0)[name] != nil else { throw .unknown(name) }
        switch name {
        case "Volume": return try setVolume(value)
        case "Rate": return try setRate(value)
        case "LoopStatus": return try setLoop(value)
        case "Shuffle", "Fullscreen":
            // A property that is always false may be set to false.
            guard value == .boolean(false) else { throw DBusError(.notSupported, "\(name) is always false") }
            return .reply([])
        default: throw DBusError(.propertyReadOnly, "\(name) is read-only")
        }
    }

    /// - Parameter interface: empty for all interfaces, which the D-Bus specification allows.
    private func values(of interface: String, _ now: Int64) throws(DBusError) -> [String: DBusValue] {
        switch interface {
        case MPRIS.root: return RootProperties.values
        case MPRIS.player:
            var values = properties.values
            values["Position"] = .int64(position(at: now).microseconds)
            return values
        case MPRIS.properties, MPRIS.introspectable: return [:]
        case "": return RootProperties.values.merging(try values(of: MPRIS.player, now)) { $1 }
        default: throw DBusError(.unknownInterface, "unknown interface \(interface)")
        }
    }

    /// Setting a volume above 0 also unmutes.
    private func setVolume(_ value: DBusValue) throws(DBusError) -> PlayerAnswer {
        let state = try session()
        guard let volume = value.number, volume.isFinite else { throw .value("Volume", "a number") }
        let unmuting: [PlayerCommand] = state.isMuted && volume > 0 ? [.setMuted(false)] : []
        return .perform([.setVolume(max(0, volume))] + unmuting)
    }

    /// A rate of 0 means pause (specification, `Rate`).
    private func setRate(_ value: DBusValue) throws(DBusError) -> PlayerAnswer {
        _ = try session()
        guard let rate = value.number, rate.isFinite, rate >= 0 else { throw .value("Rate", "a number of 0 or more") }
        return .perform([rate == 0 ? .pause : .setRate(rate)])
    }

    private func setLoop(_ value: DBusValue) throws(DBusError) -> PlayerAnswer {
        _ = try session()
        guard let text = value.text else { throw .value("LoopStatus", "a string") }
        guard let loop = LoopStatus(rawValue: text) else {
            throw DBusError(.notSupported, "LoopStatus must be None or Track: there is no track list")
        }
        return .perform([.setLooping(loop == .track)])
    }

    private func session() throws(DBusError) -> SessionState {
        guard let state else { throw DBusError(.notSupported, "no session is loaded") }
        return state
    }
}

extension DBusError {
    fileprivate static let badProperties = DBusError(.invalidArguments, "invalid arguments for the method")

    fileprivate static func unknown(_ name: String) -> DBusError {
        DBusError(.unknownProperty, "unknown property \(name)")
    }

    fileprivate static func value(_ name: String, _ kind: String) -> DBusError {
        DBusError(.invalidArguments, "\(name) must be \(kind)")
    }
}
