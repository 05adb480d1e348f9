import GroveEngine
import OrderedJSON

extension RequestDecoder {
    /// The records a client grants.
    func grant() throws(WireError) -> Int64 {
        guard let node = member("n") else { throw .badRequest("$.n", "n is missing") }
        guard let count = document.integer(node), count >= 1 else {
            throw .badRequest("$.n", "n is an integer from 1")
        }
        return count
    }
}
