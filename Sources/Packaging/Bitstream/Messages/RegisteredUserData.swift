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

extension VideoMessages {
    mutating func readRegisteredUserData(_ payload: [UInt8]) {
        switch RegisteredUserData(payload) {
        case .dynamicMetadata: hasDynamicMetadata = true
        case .captions(let data): readCaptions(data)
        case .dolbyVision: hasDolbyVision = true
        case nil: break
        }
    }

    /// CTA-708 §4.4: triplets of a marker and two data bytes; fill bytes carry no data.
    private mutating func readCaptions(_ data: [UInt8]) {
        guard let first = data.first, first & 0x40 != 0 else { return }
        hasCaptions = true
        let triplets = CaptionData.triplets(data)
        captions += triplets
        noteCaptions(triplets)
    }

    mutating func noteCaptions(_ triplets: [UInt8]) {
        hasCaptions = hasCaptions || !triplets.isEmpty
        for index in stride(from: 0, to: triplets.count, by: 3) {
            let marker = triplets[index]
            let isFill = triplets[index + 1] & 0x7F == 0 && triplets[index + 2] & 0x7F == 0
            guard marker & 4 != 0, !isFill else { continue }
            switch marker & 3 {
            case 0: noteChannel(triplets[index + 1], first: "CC1", second: "CC2")
            case 1: noteChannel(triplets[index + 1], first: "CC3", second: "CC4")
            default: continue
            }
        }
        captionChannels.formUnion(ServicePackets.services(in: triplets).map { "SERVICE\($0)" })
    }

    /// Commands identify the channel within their field. Text after a command of the second channel does not indicate
    /// the first.
    private mutating func noteChannel(_ byte: UInt8, first: String, second: String) {
        let isCommand = (0x10...0x1F).contains(byte & 0x7F)
        if isCommand, byte & 8 != 0 {
            captionChannels.insert(second)
        } else if isCommand || !captionChannels.contains(second) {
            captionChannels.insert(first)
        }
    }
}
