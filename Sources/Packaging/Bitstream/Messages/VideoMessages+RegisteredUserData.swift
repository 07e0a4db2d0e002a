// SPDX-License-Identifier: Apache-2.0

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

    /// A command names its channel within the field, but text does not: text after a command of the second channel is
    /// not counted for the first channel.
    private mutating func noteChannel(_ byte: UInt8, first: String, second: String) {
        let isCommand = (0x10...0x1F).contains(byte & 0x7F)
        if isCommand, byte & 8 != 0 {
            captionChannels.insert(second)
        } else if isCommand || !captionChannels.contains(second) {
            captionChannels.insert(first)
        }
    }
}
