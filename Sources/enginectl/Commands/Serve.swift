// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineRuntime
internal import EngineClient
internal import EngineJSON

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve a file until Ctrl-C; print the master URL on stdout and events on stderr.",
        discussion: "Uses the running engine, or starts one at the default socket for this command."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var arguments: LoadArguments
    @OptionGroup var output: OutputOptions

    private func request() throws -> LoadRequest {
        var request = try arguments.request()
        if arguments.settings.routes.videoBridge == nil { request.options.videoBridge = .whenNeeded }
        return request
    }

    func run() async throws {
        try await reporting {
            let request = try self.request()
            do {
                let measures = arguments.settings.measure
                try await withEngine(engine, startingAt: .usual) { [output] engine in
                    try await serve(request, engine, measures: measures, asJSON: output.json)
                }
            } catch let failure as Failure where failure.status == .interrupted {
                // Interruption is the normal way to end serving.
            }
        }
    }
}

/// Returns when the session ends. If the task is cancelled, ends the session first.
private func serve(
    _ request: LoadRequest,
    _ engine: EngineAccess.Handle,
    measures: Bool,
    asJSON isJSON: Bool
) async throws {
    let state = try await CheckedLoad(client: engine.client, measures: measures).load(request)
    try SessionText(state: state, now: monotonicNanoseconds()).writeURL(orJSON: isJSON ? state.json().text : nil)
    if let socket = engine.startedSocket {
        Terminal.writeError("enginectl: started an engine on \(socket)")
    }
    do {
        let fields: StateFields = [.identity, .phase, .duration, .production]
        var progress = ServeProgress(isTerminal: Terminal.isErrorTerminal)
        var model = WatchModel()
        let options = WatchOptions(.session(state.id), timeInterval: .seconds(1), fields: fields.union(.position))
        for try await event in engine.client.watch(options) {
            model.apply(event)
            if let state = model.states.first { progress.show(state) }
            if case .notice(_, let notice) = event { progress.show(notice) }
            if case .closed(_, let error?) = event { throw Failure(.failed, error.description) }
        }
    } catch {
        guard Task.isCancelled else { throw error }
        await engine.client.endSession(state.id)
    }
}
