import GroveEngine
import Testing
import Transducers

@testable import GroveServer

@Suite("Definitions that wait to be read")
struct DefinitionQueueTests {
    private func request(
        _ connection: UInt64, _ token: UInt32, defines text: String? = nil
    ) -> Request {
        let operation: GroveEngine.Operation =
            text.map { .define(Define(text: Array($0.utf8))) } ?? .stats
        return Request(
            connection: ConnectionID(connection), token: token, operation: operation)
    }

    private func tokens(_ requests: [Request]) -> [UInt32] { requests.map(\.token) }

    @Test func `later requests of a connection wait, those of others don't`() throws {
        var queue = DefinitionQueue()
        var taken = queue.take([request(1, 1), request(1, 2)])
        #expect(tokens(taken) == [1, 2])
        taken = queue.take([request(1, 3), request(1, 4, defines: "{}"), request(1, 5)])
        #expect(tokens(taken) == [3])
        taken = queue.take([request(1, 6), request(1, 7, defines: "{}")])
        #expect(taken.isEmpty)
        taken = queue.take([request(2, 8)])
        #expect(tokens(taken) == [8])
        let first = try read(&queue)
        #expect(tokens(first) == [4, 5, 6, 7])
        // What was read continues, up to the next definition.
        taken = queue.take(first)
        #expect(tokens(taken) == [4, 5, 6])
        let second = try read(&queue)
        #expect(tokens(second) == [7])
    }

    /// Reads the next definition.
    private func read(_ queue: inout DefinitionQueue) throws -> [Request] {
        let next = queue.next()
        return queue.end(try #require(next).number, .refused([]))
    }

    @Test func `only some are read at once`() throws {
        var queue = DefinitionQueue()
        for connection in 1...UInt64(DefinitionQueue.readMax) + 2 {
            _ = queue.take([request(connection, 1, defines: "{}")])
        }
        var begun: [Int] = []
        while let next = queue.next() { begun.append(next.number) }
        #expect(begun.count == DefinitionQueue.readMax)
        let ended = queue.end(begun[0], .refused([]))
        #expect(tokens(ended) == [1])
        let again = queue.end(begun[0], .refused([]))
        #expect(again.isEmpty, "it has ended")
        let (one, none) = (queue.next(), queue.next())
        #expect(one != nil && none == nil)
    }

    @Test func `a closed connection ends after its requests`() throws {
        var queue = DefinitionQueue()
        var answers = [queue.close(ConnectionID(1))]
        _ = queue.take([request(1, 1, defines: "{}"), request(1, 2)])
        answers += [queue.close(ConnectionID(1)), queue.hasClosed(ConnectionID(1))]
        let left = queue.take(try read(&queue))
        #expect(tokens(left) == [1, 2])
        answers += [queue.hasClosed(ConnectionID(1)), queue.hasClosed(ConnectionID(1))]
        #expect(answers == [false, true, false, true, false])
    }

    @Test func `a chart is compiled with its parts, and its problems are told`() throws {
        let text =
            #"{"id":"m","initial":"a","#
            + #""states":{"a":{"invoke":{"src":{"machine":{"initial":"x","#
            + #""states":{"x":{}}}}}}}}"#
        guard case .definitions(let all, let warnings) = ChartCompiler.compile(Array(text.utf8))
        else {
            Issue.record("it is valid")
            return
        }
        #expect(all.map(\.name) == ["m", "m.inline-1"] && all.allSatisfy(\.isFixed))
        #expect(warnings.allSatisfy { !$0.isError })
        for text in ["", "{", "[]", #"{"id":"m"}"#, #"{"initial":"a","states":{"a":{}}}"#] {
            guard case .refused(let problems) = ChartCompiler.compile(Array(text.utf8)) else {
                Issue.record("\(text) is no definition")
                continue
            }
            #expect(problems.contains { $0.isError })
        }
    }
}
