// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The family that `FUZZ_FAMILY` names; `main` is libFuzzer's own (llvm.org/docs/LibFuzzer.html).
private let family: Family = {
    guard let name = unsafe getenv("FUZZ_FAMILY").map({ unsafe String(cString: $0) }),
        let family = Family(rawValue: name)
    else { fatalError("FUZZ_FAMILY is one of \(Family.allCases.map(\.rawValue).joined(separator: " "))") }
    return family
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    family.exercise(unsafe [UInt8](UnsafeBufferPointer(start: start, count: count)))
    return 0
}
