import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

/// Compressed rows: the bytes are unchanged, and hostile rows can't exceed their size.
@Suite("Deflate")
struct DeflateTests {
    private func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        let deflate = Deflate()
        return bytes.withUnsafeBytes { deflate.compress($0).map { Array($0) } }
    }

    private func inflate(_ bytes: [UInt8], size: Int64) throws(StoreError) -> [UInt8] {
        let result = bytes.withUnsafeBytes { bytes -> Result<[UInt8], StoreError> in
            do throws(StoreError) {
                return .success(try Deflate.inflate(bytes, size: size))
            } catch { return .failure(error) }
        }
        return try result.get()
    }

    private let text = Array(String(repeating: #"{"name":"value","n":12},"#, count: 500).utf8)

    @Test func `inflating returns the input, also with one stream for all`() throws {
        let deflate = Deflate()
        var random = SeededRandom(seed: 1)
        for count in [100, 1_000, 100_000, 1_000_000, 500] {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...3, using: &random) }
            let small = try #require(
                bytes.withUnsafeBytes { deflate.compress($0).map { Array($0) } })
            #expect(small.count < count)
            #expect(try inflate(small, size: Int64(count)) == bytes)
        }
    }

    @Test func `bytes that don't shrink by an eighth stay plain`() {
        var random = SeededRandom(seed: 1)
        let noise = (0..<10_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        #expect(compressed(noise) == nil)
        #expect(compressed([1, 2, 3]) == nil)
        #expect(compressed([]) == nil)
    }

    @Test func `large bytes that don't shrink by half stay plain`()
        throws
    {
        var random = SeededRandom(seed: 1)
        // Half of the bits are information: with the overhead, more than half of the bytes remain.
        let digits = Array("0123456789abcdef".utf8)
        func noise(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in digits[Int.random(in: 0..<16, using: &random)] }
        }
        #expect(compressed(noise(StoreLimits.sampledBytesMin)) == nil)
        #expect(compressed(noise(StoreLimits.sampledBytesMin - 1)) != nil)
        let large = Array(repeatElement(text, count: 20).joined())
        #expect(large.count > StoreLimits.sampledBytesMin)
        let small = try #require(compressed(large))
        #expect(try inflate(small, size: Int64(large.count)) == large)
    }

    @Test func `refuses a wrong size`() throws {
        let small = try #require(compressed(text))
        for size in [text.count - 1, text.count + 1, 1, text.count * 2] {
            #expect(throws: StoreError.self) { try inflate(small, size: Int64(size)) }
        }
        for size in [0, -1, Int64(StoreLimits.inflatedBytesMax) + 1, .max, .min] {
            #expect(throws: StoreError.self) { try inflate(small, size: size) }
        }
    }

    @Test func `inflating a bomb stops at the declared size`() throws {
        let zeros = [UInt8](repeating: 0, count: 10_000_000)
        let bomb = try #require(compressed(zeros))
        #expect(bomb.count < 50_000)
        #expect(throws: StoreError.self) { try inflate(bomb, size: 1_000) }
        #expect(try inflate(bomb, size: 10_000_000) == zeros)
    }

    @Test func `inflating refuses bytes that end early or late`() throws {
        let small = try #require(compressed(text))
        for count in 0..<small.count {
            #expect(throws: StoreError.self) {
                try inflate(Array(small.prefix(count)), size: Int64(text.count))
            }
        }
        #expect(throws: StoreError.self) { try inflate(small + [0], size: Int64(text.count)) }
    }

    @Test func `never crashes on changed bytes`() throws {
        let small = try #require(compressed(text))
        var random = SeededRandom(seed: 9)
        for _ in 0..<2_000 {
            var bytes = small
            bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
                1 << UInt8.random(in: 0...7, using: &random)
            let plain = try? inflate(bytes, size: Int64(text.count))  // Either is fine.
            #expect(plain == nil || plain?.count == text.count)
        }
    }
}
