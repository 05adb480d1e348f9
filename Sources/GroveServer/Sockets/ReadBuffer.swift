/// The buffer of every read; lives as long as the loop.
final class ReadBuffer {
    let bytes: UnsafeMutableRawBufferPointer

    init(bytes count: Int) {
        bytes = .allocate(byteCount: count, alignment: 16)
    }

    deinit { bytes.deallocate() }
}
