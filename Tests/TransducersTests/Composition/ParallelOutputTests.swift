import Testing
import Transducers

@Suite("ParallelOutput")
struct ParallelOutputTests {
    typealias Mixed = ParallelOutput<String?, Void>

    @Test func `is silent where the side's output is silent or nothing`() {
        #expect(Mixed.first(nil).isSilent)
        #expect(!Mixed.first("word").isSilent)
        #expect(Mixed.second(()).isSilent)
        #expect(!ParallelOutput<Int, Int>.second(0).isSilent)
    }

    @Test func `of both is silent when both are`() {
        #expect(Mixed.both(first: nil, second: ()).isSilent)
        #expect(!Mixed.both(first: "word", second: ()).isSilent)
    }

    @Test func `of a failure is never silent`() {
        #expect(!Mixed.failed(SideFailure(side: .second, reason: "fire")).isSilent)
    }

    @Test func `a product in a product is silent where the innermost is`() {
        #expect(ParallelOutput<Mixed, Int>.first(.first(nil)).isSilent)
        #expect(!ParallelOutput<Mixed, Int>.first(.first("word")).isSilent)
    }
}
