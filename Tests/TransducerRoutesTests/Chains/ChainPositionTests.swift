import OrderedJSON
import Testing
import TransducerRoutes

@Suite("Places in chains")
struct ChainPositionTests {
    /// Returns the outcome by definition: the latest transitions are the first steps of the chain,
    /// and none of them belongs to an earlier completion.
    private func expected(
        _ steps: [Int], _ walk: [Int]
    ) -> [ChainPosition.Outcome] {
        var since = 0
        var wasUnderway = false
        return walk.indices.map { end in
            let recent = walk[since...end]
            let lengths = (1...steps.count).filter {
                recent.count >= $0 && recent.suffix($0).elementsEqual(steps.prefix($0))
            }
            if lengths.last == steps.count {
                since = end + 1
                wasUnderway = false
                return .completed
            }
            defer { wasUnderway = !lengths.isEmpty }
            return lengths.isEmpty ? (wasUnderway ? .broken : .none) : .advanced
        }
    }

    @Test func `every short walk of every short chain is judged as the definition says`() {
        for length in 1...4 {
            for chain in Self.words(of: length) {
                for walk in Self.words(of: 7) {
                    var position = ChainPosition()
                    let outcomes = walk.map { letter in
                        position.advance(of: chain.count) { chain[$0] == letter }
                    }
                    if outcomes != expected(chain, walk) {
                        Issue.record("chain \(chain), walk \(walk): \(outcomes)")
                    }
                }
            }
        }
    }

    /// Returns all words of a given length over two letters.
    private static func words(of length: Int) -> [[Int]] {
        (0..<(1 << length)).map { bits in (0..<length).map { bits >> $0 & 1 } }
    }

    @Test func `a step is checked once per transition`() {
        var position = ChainPosition()
        _ = position.advance(of: 3) { _ in true }
        var asked: [Int] = []
        _ = position.advance(of: 3) {
            asked.append($0)
            return true
        }
        #expect(asked == [0, 1])
        #expect(position.stepsWalked == 2)
    }

    @Test func `a chain without steps has no result`() {
        var position = ChainPosition()
        #expect(position.advance(of: 0) { _ in true } == .none)
        #expect(!position.isUnderway)
    }

    @Test func `a position past the chain's end restarts`() throws {
        let document = try JSONDocument(parsing: Array("[2,5]".utf8))
        var position = try JSONCoding.decode(
            ChainPosition.self, from: document, at: document.root)
        #expect(position.advance(of: 4) { $0 == 2 } == .advanced)
        #expect(position.stepsWalked == 3)
    }

    @Test(arguments: ["[0]", "[2,1]", "[1,1]", "{}", "[-1]"])
    func `an invalid position is refused`(text: String) throws {
        let document = try JSONDocument(parsing: Array(text.utf8))
        #expect(throws: JSONDecodingError.self) {
            try JSONCoding.decode(ChainPosition.self, from: document, at: document.root)
        }
    }
}
