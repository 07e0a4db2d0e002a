// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineJSON
internal import EngineModel

struct Web: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Watch and control in a browser: open control over HTTP, and print the URL of the page.",
        discussion: """
            Uses the running engine, or starts one at the default socket, which then runs until Ctrl-C. The URL works \
            once, within ten minutes; the page that it opens has a token of its own. A browser is opened if there is a \
            desktop.

            For example: web film.mkv, web --lifetime 600 --json, web --revoke
            """
    )

    @OptionGroup var engine: EngineOptions

    @Argument(help: "The file or the URL to open first.", completion: .file())
    var file: String?

    @Flag(help: "Revoke all tokens and close control over HTTP.")
    var revoke = false

    @Option(help: ArgumentHelp("How long the token is valid, 60 or more. Default: 12 hours.", valueName: "seconds"))
    var lifetime: Double?

    @Flag(inversion: .prefixedNo, help: "Open a browser. Default: if there is a desktop and stdout is a terminal.")
    var browser: Bool?

    @Flag(help: "The URL, the token for programs and its expiry as JSON.")
    var json = false

    func validate() throws {
        if revoke, file != nil { throw ValidationError("--revoke takes no file.") }
        if revoke, lifetime != nil { throw ValidationError("--revoke and --lifetime cannot be used together.") }
        if let lifetime, !(60...2_592_000).contains(lifetime) {
            throw ValidationError("--lifetime must be from 60 to 2592000.")
        }
    }

    func run() async throws {
        try await reporting {
            if revoke { return try await revokeAll() }
            do {
                try await withEngine(engine, startingAt: .usual) { [self] engine in try await open(engine) }
            } catch let failure as Failure where failure.status == .interrupted {
                // Interruption is the normal way to end an engine that this command started.
            }
        }
    }

    private func revokeAll() async throws {
        let revoked = try await EngineAccess.connect(engine).web.close()
        let text = "\(Words.count(revoked, "token")) revoked"
        try Terminal.write(json ? JSON.object(("revoked", .integer(revoked))).indentedText : text)
    }

    /// Returns at once if the engine was already running; otherwise waits until it is interrupted.
    private func open(_ engine: EngineAccess.Handle) async throws {
        if let file {
            let request = LoadRequest(source: FileArgument.source(file))
            _ = try await engine.client.load(request)
        }
        let grant = try await engine.client.web.open(lifetime: lifetime.map(MediaTime.seconds))
        try Terminal.write(json ? grant.json.indentedText : grant.url)
        if browser ?? (Desktop.isPresent && Terminal.isOutputTerminal) { try Desktop.open(grant.url) }
        guard let socket = engine.startedSocket else { return }
        Terminal.writeError("enginectl: started an engine on \(socket); Ctrl-C ends it")
        while !Task.isCancelled {
            // Ends only by cancellation.
            try await Task.sleep(for: .seconds(3600))
        }
    }
}
