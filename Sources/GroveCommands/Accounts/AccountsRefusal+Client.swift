import GroveAccess
import GroveClient
import GroveWire
import OrderedJSON

extension AccountsRefusal {
    /// The error with which a server would have answered.
    var clientError: ClientError {
        get throws {
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("code", code.rawValue)
                writer.member("message", message)
                writer.member("retry", false)
                if case .badRequest(let path, _) = self {
                    writer.object("data") { $0.member("at", path) }
                }
                if case .problems(let problems) = self {
                    writer.object("data") { data in
                        data.array("problems", problems.listed) { writer, problem in
                            writer.object { writer in
                                writer.member("path", problem.path)
                                writer.member("message", problem.message)
                                writer.member("severity", "error")
                            }
                        }
                    }
                }
            }
            let document = try JSONDocument(parsing: writer.bytes)
            return .server(ServerError(document, at: document.root))
        }
    }

    private var code: ErrorCode {
        switch self {
        case .badRequest, .problems: .badRequest
        case .alreadyExists: .alreadyExists
        case .limit: .limit
        }
    }
}
