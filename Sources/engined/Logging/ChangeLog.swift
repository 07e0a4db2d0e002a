// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Logging

/// Writes what happens to sessions to the log.
final class ChangeLog: EngineObserver {
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    func receive(_ change: EngineChange) {
        switch change {
        case .changed(let state, let fields) where fields.contains(.phase):
            logger.info(
                "session \(state.id.rawValue): \(state.phase.sentence)",
                metadata: ["source": "\(state.source)"]
            )
        case .noticed(let id, let notice):
            logger.log(
                level: notice.severity == .warning ? .warning : .info,
                "session \(id.rawValue): \(notice.message)",
                metadata: ["code": "\(notice.code)"]
            )
        case .closed(let id, let error):
            if let error {
                logger.warning("session \(id.rawValue) ended: \(error)")
            } else {
                logger.info("session \(id.rawValue) ended")
            }
        case .changed, .seeked, .cued, .defaultSession: break
        }
    }
}

extension Phase {
    fileprivate var sentence: String {
        switch self {
        case .ended: "at the end"
        case .error(let error): "failed: \(error)"
        default: name.rawValue
        }
    }
}
