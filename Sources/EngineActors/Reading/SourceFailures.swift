// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel

extension EngineError {
    package init(_ error: RegularFile.OpenError, path: FilePath) {
        switch error {
        case .failed(let errno) where errno.isNameTooLong:
            self.init(.invalidArgument, "source names a file that cannot exist: \(errno)", field: "source")
        case .failed(let errno) where errno.isForeignLink:
            let text = "\(path) is a symbolic link of another user that leads out of its folder"
            self.init(.sourceAccessDenied, text, cause: "\(errno)")
        case .failed(let errno) where errno.isNotFound:
            self.init(.sourceNotFound, "\(path) does not exist", cause: "\(errno)")
        case .failed(let errno) where errno.isPermissionDenied:
            self.init(.sourceAccessDenied, "permission to read \(path) was denied", cause: "\(errno)")
        case .failed(let errno):
            self.init(.sourceReadFailed, "\(path) could not be opened", cause: "\(errno)")
        case .notRegular(let kind):
            self.init(.sourceNotReadable, "\(path) is \(kind), not a file")
        }
    }

    /// - Parameter failed: the code to use if `error` is neither an interruption nor a failure of the source.
    package init(_ error: FFmpegError, _ failed: Code, _ message: String) {
        if error.isInterruption {
            self.init(.cancelled, "\(message): interrupted", cause: "\(error)")
        } else if let source = error.source {
            self = source
        } else {
            self.init(failed, message, cause: "\(error)")
        }
    }
}

extension FFmpegError {
    /// Throws if the error is an interruption or a failure of the source. Returns if the bytes themselves are bad:
    /// callers can skip the damage.
    package func mustBeBad(_ doing: String) throws(EngineError) {
        if isInterruption || source != nil { throw EngineError(self, .sourceReadFailed, doing) }
    }
}
