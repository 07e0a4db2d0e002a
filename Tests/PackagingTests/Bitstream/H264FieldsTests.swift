// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Packaging

@Suite struct H264FieldsTests {
    /// What is read from a packet whose slice header ends after its order counts.
    ///
    /// - Parameters:
    ///   - field: whether the slice is of a top field, or else of a bottom field; `nil` for a frame.
    ///   - delay: the order count of the bottom field minus that of the top field.
    ///   - namesTimedSet: whether the slice refers to the picture parameter set that says that `delay` is present.
    private func fields(
        field: Bool? = nil,
        delay: Int? = nil,
        type: UInt8 = H264.idrSlice,
        namesTimedSet: Bool = true
    ) throws -> H264Fields {
        let specimen = try AVCConfiguration(record: Specimen.avc.extradata).sequenceSets
        var set = try H264ParameterSet(unit: try #require(specimen.first))
        set.pictureOrderCountType = 0
        (set.isFrameOnly, set.isFieldAdaptive, set.frameNumberBits, set.orderCountBits) = (false, true, 5, 6)
        var slice = BitWriter()
        slice.bits(UInt32(type), 8)
        // First macroblock, type, picture parameter set 1, frame number.
        for value in [0, 7, 1] { slice.unsignedExpGolomb(value) }
        slice.bits(3, 5)
        slice.flag(field != nil)
        if let field {
            slice.flag(!field)
        } else {
            if type == H264.idrSlice { slice.unsignedExpGolomb(9) }
            slice.bits(0, 6)
            if let delay { slice.unsignedExpGolomb(delay > 0 ? delay * 2 - 1 : -delay * 2) }
        }
        slice.bits(0x2AAA_AAAA, 31)
        slice.alignToByte()
        var pictureSet = BitWriter()
        pictureSet.bits(UInt32(H264.pictureParameterSet), 8)
        pictureSet.unsignedExpGolomb(namesTimedSet ? 1 : 0)
        pictureSet.unsignedExpGolomb(0)
        pictureSet.bits(0b01, 2)
        pictureSet.alignToByte()
        return H264Fields(
            packets: [[0, 0, 0, UInt8(slice.bytes.count)] + slice.bytes],
            framing: .lengthPrefixed(4),
            set: set,
            pictureSets: [[0x68], pictureSet.bytes]
        )
    }

    @Test("The times of a frame's fields determine their order", arguments: [H264.idrSlice, H264.slice])
    func frames(_ type: UInt8) throws {
        #expect(try fields(delay: 1, type: type).isTopFirst == true)
        #expect(try fields(delay: -1, type: type).isTopFirst == false)
        #expect(try fields(delay: 0, type: type).isTopFirst == nil)
        #expect(try fields(namesTimedSet: false).isTopFirst == nil)
    }

    @Test("The first of two field pictures determines the order")
    func pictures() throws {
        #expect(try fields(field: true).isTopFirst == true)
        #expect(try fields(field: false).isTopFirst == false)
    }
}
