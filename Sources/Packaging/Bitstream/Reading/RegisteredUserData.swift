// SPDX-License-Identifier: Apache-2.0

/// User data registered by ITU-T T.35, as carried in SEI messages of type 4 and AV1 metadata OBUs.
enum RegisteredUserData: Hashable, Sendable {
    /// SMPTE ST 2094-40, application 4.
    case dynamicMetadata
    /// `cc_data` of ATSC A/53 part 4 §6.2.3, starting at its first byte.
    case captions([UInt8])
    /// Dolby Vision metadata in AV1.
    case dolbyVision

    private static let unitedStates: UInt8 = 0xB5
    private static let samsung = 0x003C
    private static let atsc = 0x0031
    private static let dolby = 0x003B

    /// `nil` for unknown user data.
    ///
    /// - Parameter payload: starts at the country code.
    init?(_ payload: [UInt8]) {
        var reader = ByteReader(payload, subject: "T.35")
        do throws(PackagingError) {
            guard try reader.byte() == Self.unitedStates else { return nil }
            switch Int(try reader.uint16()) {
            case Self.samsung:
                // Provider-oriented code 1, application identifier 4.
                guard try reader.uint16() == 1, try reader.byte() == 4 else { return nil }
                self = .dynamicMetadata
            case Self.atsc:
                guard try reader.take(4) == Array("GA94".utf8), try reader.byte() == 3 else { return nil }
                self = .captions(reader.takeRest())
            case Self.dolby:
                guard try reader.uint32() == 0x0000_0800 else { return nil }
                self = .dolbyVision
            default:
                return nil
            }
        } catch {
            return nil
        }
    }
}
