// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import NIOCore
internal import Wire

/// `ContactSheet`: receives one request, then sends progress and finally the sheet.
///
/// A client that reads slowly gets only the latest progress.
final class ContactSheetHandler: CallHandler {
    private let core: ServerCore
    private var request: ContactSheetRequest?
    private var progress: ContactSheetProgress?
    private var sheet: [UInt8]?
    private var task: Task<Void, Never>?

    init(core: ServerCore) { self.core = core }

    func receive(_ message: [UInt8], on call: ServerCall) {
        guard request == nil else { return call.finish(.extraMessage) }
        do throws(EngineError) { request = try ContactSheetRequest(wire: message) } catch {
            call.finish(GRPCStatus(error))
        }
    }

    func receiveEnd(on call: ServerCall) {
        guard let request else { return call.finish(.missingMessage) }
        let service = core.service
        let total = request.columns * request.rows
        let loop = core.loop
        let bound = NIOLoopBound((handler: self, call: call), eventLoop: loop)
        task = call.run { () throws(EngineError) in
            let sheet = try await service.contactSheet(request) { done, total in
                loop.execute {
                    bound.value.handler.progress = ContactSheetProgress(done: done, total: total)
                    bound.value.call.resume()
                }
            }
            let last = ContactSheetProgress(done: total, total: total, sheet: sheet)
            return last.framed()
        } completion: { [weak self] framed in
            self?.progress = nil
            self?.sheet = framed
            call.finish(.ok)
        }
    }

    func nextMessage() -> [UInt8]? {
        if let progress {
            self.progress = nil
            return progress.framed()
        }
        defer { sheet = nil }
        return sheet
    }

    func callEnded() {
        task?.cancel()
        progress = nil
    }
}
