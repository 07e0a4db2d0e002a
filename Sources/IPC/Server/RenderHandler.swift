// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import NIOCore
internal import Wire

/// `Render`: a renderer attaches, receives commands and sends reports, until either side ends the call.
///
/// Reports go to the engine one at a time. Of the reports that arrive meanwhile, only the latest is kept.
final class RenderHandler: CallHandler {
    private enum State {
        case new
        case attaching
        case attached(RendererID)
        case ended
    }

    private let core: ServerCore
    private var state = State.new
    /// Attaches the renderer. Cancelled when the call ends, so that a renderer that has left takes nobody's place.
    private var attaching: Task<Void, Never>?
    private var call: ServerCall?
    /// The quota in which this call is counted as a renderer.
    private var quota: ClientQuota?
    private var mailbox: RendererMailbox?
    private var report: RendererReport?
    private var isReporting = false

    init(core: ServerCore) { self.core = core }

    // MARK: Incoming

    func receive(_ message: [UInt8], on call: ServerCall) {
        do throws(EngineError) {
            switch try RenderRequest(wire: message) {
            case .attach(let offer):
                guard case .new = state else { throw .invalid("attach", "must be sent once, as the first message") }
                try attach(offer, call)
            case .report(let report):
                if case .new = state { throw .invalid("report", "must be sent after attach") }
                self.report = report
                sendReport()
            }
        } catch {
            call.finish(GRPCStatus(error))
        }
    }

    func receiveEnd(on call: ServerCall) {
        switch state {
        case .new: call.finish(GRPCStatus(.invalid("attach", "was never sent")))
        // The call ends once the engine has answered the attach.
        case .attaching: state = .ended
        case .attached, .ended:
            call.finish(.ok)
            leave()
        }
    }

    private func attach(_ offer: RendererOffer, _ call: ServerCall) throws(EngineError) {
        guard let quota = call.connection?.quota, quota.takeRenderer() else {
            let limits = core.limits
            let text =
                "the limit is \(limits.renderersPerConnection) renderers per client and "
                + "\(limits.renderers) in total"
            throw EngineError(.resourceExhausted, text)
        }
        self.quota = quota
        self.call = call
        state = .attaching
        let back = NIOLoopBound(self, eventLoop: core.loop)
        let loop = core.loop
        let mailbox = RendererMailbox { loop.execute { back.value.call?.resume() } }
        self.mailbox = mailbox
        let service = core.service
        attaching = core.tasks.run { () throws(EngineError) in
            try await service.attach(offer, to: mailbox)
        } completion: { result in
            self.attached(result)
        }
        call.open()
    }

    private func attached(_ result: Result<RendererID, EngineError>) {
        switch (result, state) {
        case (.success(let id), .attaching):
            state = .attached(id)
            sendReport()
        case (.success(let id), _):
            detach(id)
            call?.finish(.ok)
        case (.failure(let error), _): call?.finish(GRPCStatus(error))
        }
    }

    private func sendReport() {
        guard case .attached(let id) = state, !isReporting, let report else { return }
        self.report = nil
        isReporting = true
        let service = core.service
        _ = core.tasks.run { () throws(EngineError) in
            await service.report(report, by: id)
        } completion: { _ in
            self.isReporting = false
            self.sendReport()
        }
    }

    // MARK: Outgoing

    func nextMessage() -> [UInt8]? {
        guard let mailbox else { return nil }
        switch mailbox.next() {
        case .command(let command): return command.framed()
        case .end(let error):
            call?.finish(error.map { GRPCStatus($0) } ?? .ok)
            return nil
        case .nothing: return nil
        }
    }

    // MARK: End of the call

    func callEnded() {
        attaching?.cancel()
        leave()
        quota?.giveBackRenderer()
        quota = nil
        call = nil
        mailbox = nil
    }

    private func leave() {
        if case .attached(let id) = state { detach(id) }
        state = .ended
    }

    private func detach(_ id: RendererID) {
        let service = core.service
        _ = core.tasks.run { () throws(EngineError) in
            await service.detach(id)
        } completion: { _ in
        }
    }
}
