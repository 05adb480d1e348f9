import OrderedJSON
import Transducers

extension HTTPRequest {
    /// Decodes a handler's argument.
    ///
    /// - Throws: `PermanentFailure`: no other attempt could decode it.
    init(argument: JSONValue) throws(PermanentFailure) {
        do {
            let document = try JSONDocument(parsing: argument.serialized())
            self = try JSONCoding.decode(HTTPRequest.self, from: document, at: document.root)
        } catch {
            throw PermanentFailure("the argument is no request: \(error)")
        }
    }
}
