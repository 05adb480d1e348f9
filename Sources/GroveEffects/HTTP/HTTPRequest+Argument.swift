import OrderedJSON
import Transducers

extension HTTPRequest {
    /// Reads a handler's argument.
    ///
    /// - Throws: `PermanentFailure`: it will not fit better the next time.
    init(argument: JSONValue) throws(PermanentFailure) {
        do {
            let document = try JSONDocument(parsing: argument.serialized())
            self = try JSONCoding.decode(HTTPRequest.self, from: document, at: document.root)
        } catch {
            throw PermanentFailure("the argument is no request: \(error)")
        }
    }

    /// What an answer with this status means.
    func verdict(on status: Int) -> HTTPVerdict {
        if (200...299).contains(status) || acceptStatus.contains(status) { return .result }
        let mayPass = [408, 425, 429].contains(status) || (500...599).contains(status)
        return mayPass ? .failure : .permanentFailure
    }
}

/// What becomes of a request that was answered.
enum HTTPVerdict: Sendable {
    /// The answer is the effect's result.
    case result
    /// The try has failed; the next one may find another answer.
    case failure
    /// The effect has failed.
    case permanentFailure
}
