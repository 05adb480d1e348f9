import Dispatch
import OrderedJSON
import Synchronization
import Testing

@Suite("Nesting")
struct JSONDepthTests {
    private func nested(_ depth: Int, _ inner: String = "1", spaces: Int = 0) -> [UInt8] {
        let space = String(repeating: " ", count: spaces)
        let open = String(repeating: "[", count: depth)
        return Array((open + space + inner + String(repeating: "]", count: depth)).utf8)
    }

    @Test func `a text is too deep past the bound, not at it`() {
        #expect(!JSONDepth.exceeds(64, in: nested(64)))
        #expect(JSONDepth.exceeds(64, in: nested(65)))
        #expect(JSONDepth.exceeds(0, in: nested(1)))
        #expect(!JSONDepth.exceeds(0, in: Array("12".utf8)))
    }

    @Test func `brackets side by side, and in strings, are no depth`() {
        let flat = "[" + String(repeating: "[],", count: 500) + "{}]"
        #expect(!JSONDepth.exceeds(2, in: Array(flat.utf8)))
        #expect(JSONDepth.exceeds(1, in: Array(flat.utf8)))
        let quoted = #"["\#(String(repeating: "[{", count: 100))\\\"[[["]"#
        #expect(!JSONDepth.exceeds(1, in: Array(quoted.utf8)))
        #expect(
            JSONDepth.exceeds(
                1, in: Array(#"["\\\\",[["\#(String(repeating: "x", count: 9))"]]]"#.utf8)))
    }

    @Test(arguments: [1, 2, 63, 64, 65, 255, 256])
    func `the writer's depth is the reader's`(depth: Int) throws {
        for inner in ["1", #""]]""#, "{}"] {
            let text = nested(depth, inner, spaces: 600)
            let whole = depth + (inner == "{}" ? 1 : 0)
            #expect(JSONDepth.exceeds(whole - 1, in: text))
            #expect(!JSONDepth.exceeds(whole, in: text))
            let limits = JSONLimits(depthMax: whole)
            #expect(throws: Never.self) { try JSONDocument(parsing: text, limits: limits) }
        }
    }

    /// A value in which the next one is.
    private final class Nest: Codable, Sendable {
        let inner: Nest?

        init(_ inner: Nest?) { self.inner = inner }

        static func depth(_ depth: Int) -> Nest {
            (1..<depth).reduce(Nest(nil)) { nest, _ in Nest(nest) }
        }
    }

    @Test func `endless nesting is refused, and the program continues`() throws {
        var writer = JSONWriter()
        writer.literal("before ")
        #expect {
            try JSONCoding.encode(Nest.depth(1_000), into: &writer)
        } throws: {
            "\($0)".contains("nested more than 256 deep")
        }
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "before ")
    }

    @Test func `stored values of maximum depth fit a small stack`() {
        let outcome = Mutex<String?>(nil)
        let done = DispatchSemaphore(value: 0)
        // A thread of Dispatch has half a mebibyte.
        DispatchQueue(label: "small stack").async {
            defer { done.signal() }
            do {
                var writer = JSONWriter()
                try JSONCoding.encode(Nest.depth(256), into: &writer)
                let document = try JSONDocument(parsing: writer.bytes, limits: .stored)
                let nest = try JSONCoding.decode(Nest.self, from: document, at: document.root)
                var depth = 0
                var next: Nest? = nest
                while let this = next {
                    depth += 1
                    next = this.inner
                }
                outcome.withLock { $0 = "\(depth)" }
            } catch {
                outcome.withLock { $0 = "\(error)" }
            }
        }
        done.wait()
        #expect(outcome.withLock { $0 } == "256")
    }
}
