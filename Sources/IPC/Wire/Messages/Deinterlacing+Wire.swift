// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
internal import EngineModel

extension Deinterlacing {
    init(wire: Engine__V1__Deinterlacing) throws(EngineError) {
        switch wire {
        case ENGINE__V1__DEINTERLACING__DEINTERLACING_UNSPECIFIED, ENGINE__V1__DEINTERLACING__DEINTERLACING_FRAME:
            self = .frame
        case ENGINE__V1__DEINTERLACING__DEINTERLACING_FIELD: self = .field
        case ENGINE__V1__DEINTERLACING__DEINTERLACING_OFF: self = .off
        default: throw .invalid("deinterlacing", "\(wire.rawValue) is not a Deinterlacing")
        }
    }

    var wire: Engine__V1__Deinterlacing {
        switch self {
        case .frame: ENGINE__V1__DEINTERLACING__DEINTERLACING_FRAME
        case .field: ENGINE__V1__DEINTERLACING__DEINTERLACING_FIELD
        case .off: ENGINE__V1__DEINTERLACING__DEINTERLACING_OFF
        }
    }
}
