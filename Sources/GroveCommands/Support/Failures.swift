import ArgumentParser
import GroveClient
import GroveWire
import OrderedJSON

/// An error of the client as words, as a line of JSON, and as an exit code.
enum Failures {
    /// The exit codes of `grove --help`.
    static func exitCode(_ error: ClientError) -> ExitCode {
        switch error {
        case .server(let error) where error.isRetryable || error.known == .timeout:
            .temporary
        case .server(let error) where error.known == .internalError: .software
        case .server, .gap: .refused
        case .unavailable, .tlsFailed, .tokenNeedsTLS: .unavailable
        case .connectionLost, .timeout, .unread, .queueFull: .temporary
        case .protocolViolation, .undecodable, .cancelled, .closed: .software
        case .invalidRequest: .validationFailure
        }
    }

    /// The error for people: code, sentence, and a hint.
    ///
    /// - Parameter hint: What a command knows better than the error; `nil` for nothing.
    static func text(_ error: ClientError, _ style: Style, hint known: String? = nil) -> String {
        var text = style.paint("error:", .bad) + " " + style.paint(style.safe(error.code), .strong)
        text += ": " + style.safe(sentence(error))
        if case .server(let error) = error, let data = error.data, data != .null {
            text += "\n  " + style.safe("\(data)")
        }
        if let hint = known ?? hint(error) {
            text += "\n" + style.paint("hint:", .accent) + " \(hint)"
        }
        return text
    }

    /// The error as one line of JSON: the server's object unchanged, or one of the same shape.
    static func json(_ error: ClientError) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            if case .server(let error) = error {
                writer.name("error")
                writer.raw(error.text)
            } else {
                writer.object("error") { writer in
                    writer.member("code", error.code)
                    writer.member("message", error.message)
                    writer.member("retry", error.isRetryable)
                }
            }
        }
        return writer.bytes
    }

    /// An error of files or of the system, in the same shape.
    ///
    /// - Parameters:
    ///   - known: Its code, if the exit code's isn't meant.
    ///   - isRetryable: Whether the same may succeed a little later.
    ///   - lines: The lines of a file that are to blame, with their reasons.
    static func json(
        _ code: ExitCode, _ message: String, name known: String? = nil, isRetryable: Bool = false,
        lines: [(line: Int, reason: String)] = []
    ) -> [UInt8] {
        let standard =
            switch code {
            case .refused: ErrorCode.alreadyExists.rawValue
            case .dataError: "DATA_ERROR"
            case .noInput: "NO_INPUT"
            case .cannotCreate: "CANNOT_CREATE"
            default: "IO_ERROR"
            }
        var writer = JSONWriter()
        writer.object { writer in
            writer.object("error") { writer in
                writer.member("code", known ?? standard)
                writer.member("message", message)
                writer.member("retry", isRetryable)
                guard !lines.isEmpty else { return }
                writer.object("data") { writer in
                    writer.array("lines", lines) { writer, item in
                        writer.object { writer in
                            writer.member("line", Int64(item.line))
                            writer.member("message", item.reason)
                        }
                    }
                }
            }
        }
        return writer.bytes
    }

    /// What went wrong; ``hint(_:)`` says in terms of flags what to do.
    private static func sentence(_ error: ClientError) -> String {
        if case .tlsFailed(let problem) = error, hint(error) != nil { return problem.message }
        return error.message
    }

    private static func hint(_ error: ClientError) -> String? {
        switch error {
        case .unavailable:
            "is a server running there? Start one with 'grove serve', or name one with --server "
                + "or GROVE_SERVER"
        case .tlsFailed(let problem): hint(problem.reason)
        case .connectionLost, .timeout, .unread:
            "it may have been done: repeat a send with the same --dedup KEY, or look with "
                + "'grove get'"
        case .protocolViolation: "is that a Grove server? Its default port is 7400"
        case .server(let error)
        where error.known == .versionConflict && error.data?["v"] == .some(.null):
            hints[.noSuchInstance]
        case .server(let error)
        where error.known == .alreadyExists && error.data?["principal"] != nil:
            "'grove principal list' shows the principals there are"
        case .server(let error) where error.data?["at"]?.string == "$.force":
            "--force does it nevertheless"
        case .server(let error): error.known.flatMap { hints[$0] }
        case .tokenNeedsTLS, .invalidRequest, .gap, .queueFull, .undecodable, .cancelled, .closed:
            nil
        }
    }

    private static func hint(_ reason: TLSProblem.Reason) -> String? {
        switch reason {
        case .unknownAuthority:
            "name the file of its authority with --tls-ca or GROVE_SERVER_CA, or its public key "
                + "with --tls-pin or GROVE_SERVER_PIN"
        case .certificateRequired:
            "name the files of one with --tls-certificate and --tls-key, or "
                + "GROVE_CLIENT_CERTIFICATE and GROVE_CLIENT_KEY"
        case .wrongKey: "if its operator has replaced it, give the new one with --tls-pin"
        case .notTLS: "without encryption, the address is --server HOST:PORT"
        case .wrongName, .expired, .certificateRefused, .wrongProtocol, .nothingInCommon,
            .configuration, .other:
            nil
        }
    }

    private static let hints: [ErrorCode: String] = [
        .noSuchMachine: "'grove definitions' lists the machines this server hosts",
        .noSuchInstance: "'grove list' shows the instances there are; 'grove create' makes one",
        .noSuchEffect: "'grove effects' shows the effects there are, and what they wait for",
        .alreadyExists: "'grove get' shows the instance",
        .instanceDone: "a done instance accepts no events; use another name",
        .suspended: "an operator holds it: 'grove list --suspended' and 'grove definitions' show "
            + "what is, and 'grove resume' lets it go on",
        .setAside: "its steps ended the server: 'grove list --set-aside' says how; mend the "
            + "machine and raise its version, or 'grove retry' the instance ('grove resume' the "
            + "machine, where all of it is set aside)",
        .versionConflict: "another client was faster: look with 'grove get', then decide again",
        .dedupMismatch: "this key was used for another event; take a new one",
        .badEvent: "'grove describe MACHINE' shows the machine's events",
        .internalEvent: "the machine's own effects send it; 'grove effects' shows them",
        .eventRejected: "'accepts' above, if there, lists the events that this state accepts",
        .cursorForeign: "begin with --from first, or with --from now",
        .cursorTooOld:
            "records behind it were removed; begin with --from first, or with --from now",
        .timeout: "it may still come: look with 'grove get', or wait again with 'grove await'",
        .overloaded: "try again a little later",
        .draining: "the server is shutting down; try again when it is back",
        .rateLimited: "try again a little later",
        .storageFull: "the server's disk is full; nothing was changed",
        .unauthenticated: "the server wants a valid token: give one with --token-file FILE or "
            + "GROVE_TOKEN; an administrator makes one with 'grove token create'",
        .forbidden: "an administrator gives rights with 'grove principal grant'",
    ]
}
