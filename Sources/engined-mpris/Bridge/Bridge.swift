// SPDX-License-Identifier: Apache-2.0

internal import EngineClient
internal import EngineModel
internal import EngineRuntime

/// Connects the engine and the bus: engine events become signals, client calls become commands.
///
/// The model makes the decisions; the bridge only carries them out.
actor Bridge {
    /// A command for the engine, and the call to answer when it is done.
    struct Work: Sendable {
        let call: UInt64
        let answer: PlayerAnswer
    }

    private let bus: BusConnection
    private var model = PlayerModel()
    /// `nil` while there is no engine.
    private var client: EngineClient?

    init(bus: BusConnection) { self.bus = bus }

    // MARK: From the engine

    func connect(_ client: EngineClient) { self.client = client }

    func disconnect() {
        client = nil
        emit(model.disconnect(now: monotonicNanoseconds()))
    }

    func apply(_ event: WatchEvent) { emit(model.apply(event, now: monotonicNanoseconds())) }

    private func emit(_ signals: [PlayerSignal]) {
        for signal in signals {
            switch signal {
            case .changed(let values):
                let body: [DBusValue] = [.string(MPRIS.player), .dictionary(values), .strings([])]
                bus.send(.signal(interface: MPRIS.properties, member: "PropertiesChanged", body))
            case .seeked(let position):
                bus.send(.signal(interface: MPRIS.player, member: "Seeked", [.int64(position)]))
            }
        }
    }

    // MARK: From the bus

    /// Answers a call, or returns the work to do before it can be answered.
    func take(_ call: DBusCall) -> Work? {
        do throws(DBusError) {
            let answer = try model.answer(call, now: monotonicNanoseconds())
            guard case .reply(let values) = answer else { return Work(call: call.id, answer: answer) }
            bus.send(.reply(call.id, values))
        } catch {
            bus.send(.failure(call.id, error))
        }
        return nil
    }

    func perform(_ work: Work) async {
        do throws(EngineClientError) {
            guard let client else { return bus.send(.failure(work.call, .noEngine)) }
            switch work.answer {
            case .reply: break
            case .perform(let commands): try await perform(commands, client)
            case .stop:
                emit(model.stop(now: monotonicNanoseconds()))
                defer { emit(model.stopped(now: monotonicNanoseconds())) }
                try await perform(Stopping.commands, client)
            case .open(let uri): try await open(uri, client)
            }
            bus.send(.reply(work.call, []))
        } catch {
            bus.send(.failure(work.call, DBusError(error)))
        }
    }

    private func perform(_ commands: [PlayerCommand], _ client: EngineClient) async throws(EngineClientError) {
        // Command the session that the caller saw, even if another one has become the default since.
        let session = model.state?.id
        for command in commands {
            let result = try await client.perform(CommandRequest(session: session, command: .player(command)))
            emit(model.adopt(result.state, now: monotonicNanoseconds()))
        }
    }

    /// The current source keeps playing until the new one is known to be playable.
    private func open(_ uri: String, _ client: EngineClient) async throws(EngineClientError) {
        var request = LoadRequest(source: uri)
        request.options.isAutoplay = true
        if model.state != nil {
            let source = try await client.probe(uri, options: request.options)
            guard source.streams.contains(where: \.route.isPlayed) else {
                throw EngineClientError(
                    .failedPrecondition,
                    "\(uri) has no playable stream",
                    code: .noPlayableStream
                )
            }
        }
        request.session = model.state?.id
        _ = try await client.load(request)
    }
}
