// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
package import EngineModel

extension PlaybackPath {
    static func wire(_ path: PlaybackPath?) -> Engine__V1__PlaybackPath {
        switch path {
        case nil: ENGINE__V1__PLAYBACK_PATH__PLAYBACK_PATH_UNSPECIFIED
        case .remux: ENGINE__V1__PLAYBACK_PATH__PLAYBACK_PATH_REMUX
        case .software: ENGINE__V1__PLAYBACK_PATH__PLAYBACK_PATH_SOFTWARE
        }
    }

    /// `nil` for the unspecified path and for a number that this build does not know.
    static func known(_ wire: Engine__V1__PlaybackPath) -> PlaybackPath? {
        allCases.first { Self.wire($0) == wire }
    }
}

extension Engine__V1__SelectPathRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__select_path_request__init(pointer)
    }
}

extension CommandRequest {
    package init(selectPath bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__SelectPathRequest.self) { wire throws(EngineError) in
            let path = unsafe PlaybackPath.known(wire.path)
            if path == nil, unsafe wire.path != PlaybackPath.wire(nil) {
                throw unsafe .invalid("path", "\(wire.path.rawValue) is not a PlaybackPath")
            }
            return try unsafe CommandRequest(
                wire.session_id,
                wire.if_revision,
                wire.request_id,
                .output(.selectPath(path))
            )
        }
    }

    package func framed(selecting path: PlaybackPath?) -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__SelectPathRequest.self)
            unsafe wire.pointee.session_id = arena.string(session?.rawValue ?? "")
            unsafe wire.pointee.if_revision = ifRevision ?? 0
            unsafe wire.pointee.request_id = arena.string(requestID)
            unsafe wire.pointee.path = PlaybackPath.wire(path)
            return unsafe wire
        }
    }
}
