import GroveEngine
import GroveWire
import OrderedJSON

extension WireError {
    /// The wire's error for a failure of the engine.
    package init(_ failure: Failure, cursors: CursorText) {
        switch failure {
        case .badRequest(let path, let message): self = .badRequest(path, message)
        case .versionPastEnd(let asked, let actual):
            self.init(.badRequest, "version \(asked) is past the end, \(actual)") { data in
                data.member("at", "$.at")
                data.member("v", actual)
            }
        case .versionNotHeld(let asked, let first, let actual):
            self.init(
                .badRequest, "version \(asked) is not held, the first is \(first)"
            ) { data in
                data.member("at", "$.at")
                data.member("first", first)
                data.member("v", actual)
            }
        case .unauthenticated:
            self.init(.unauthenticated, "accounts have changed: say who you are")
        case .forbidden(let verb): self = .forbidden(verb: verb)
        case .principalExists(let name):
            self.init(.alreadyExists, "there is a principal \(name) already") {
                $0.member("principal", name)
            }
        case .badAccounts(let problems): self.init(problems, as: .badRequest)
        case .busy(let message): self.init(.overloaded, message)
        case .overloaded: self.init(.overloaded, ErrorCode.overloaded.meaning)
        case .limit(let message): self.init(.limit, message)
        case .badDefinition(let problems): self.init(problems, as: .badDefinition)
        case .noSuchMachine(let name):
            self.init(.noSuchMachine, "no machine \(name) is hosted") { $0.member("machine", name) }
        case .dedupMismatch, .versionConflict, .noSuchInstance, .alreadyExists, .instanceDone:
            self.init(instance: failure)
        case .held(let subject, let kind): self.init(subject, kind)
        case .badEvent, .internalEvent, .eventRejected, .evaluation, .evaluationLimit,
            .stepLimit, .stateTooLarge:
            self.init(step: failure)
        case .cursorTooOld(let first):
            self.init(.cursorTooOld, first: first, cursors)
        case .cursorForeign(let first, let why):
            self.init(.cursorForeign, first: first, cursors)
            switch why {
            case .nonsense: message = "the text is no cursor"
            case .otherLog: message = "the cursor is of another data file"
            case .ahead: message = "the cursor lies ahead of everything that is stored"
            }
        case .noSuchSubscription:
            self.init(.noSuchSubscription, ErrorCode.noSuchSubscription.meaning)
        case .noSuchEffect(let message): self.init(.noSuchEffect, message)
        case .timeout(let isRepeatable):
            self.init(.timeout, ErrorCode.timeout.meaning)
            isRetryable = isRepeatable
        case .unsettled(let version, let cursor, let isRepeatable):
            self.init(unsettled: version, cursor, cursors)
            isRetryable = isRepeatable
        case .inBatch(let index, let failure):
            self = WireError(failure, cursors: cursors).with("index", Int64(index))
        case .storageFull: self.init(.storageFull, ErrorCode.storageFull.meaning)
        case .storageCorrupt(let place): self.init(.storageError, place)
        }
    }

    private init(_ code: ErrorCode, first: Cursor, _ cursors: CursorText) {
        self.init(code, code.meaning) { cursors.append(first, as: #""first":""#, to: &$0) }
    }

    private init(unsettled version: Int64, _ cursor: Cursor, _ cursors: CursorText) {
        self.init(.timeout, ErrorCode.timeout.meaning) {
            $0.member("v", version)
            cursors.append(cursor, as: #","cur":""#, to: &$0)
        }
    }

    private init(_ problems: [DefinitionProblem], as code: ErrorCode) {
        let errors = problems.count { $0.isError }
        let first = problems.first { $0.isError }
        let more = errors > 1 ? ", and \(errors - 1) more" : ""
        self.init(
            code,
            first.map { "\($0.path): \($0.message)\(more)" } ?? code.meaning
        ) { data in
            data.array("problems", problems) { $0.problem($1) }
        }
    }

    /// Failures because of the instance's present state.
    private init(instance failure: Failure) {
        switch failure {
        case .dedupMismatch(let version):
            self.init(.dedupMismatch, ErrorCode.dedupMismatch.meaning) { $0.member("v", version) }
        case .versionConflict(let expected, let actual):
            let found = actual.map { ", is \($0)" } ?? ", but there is no such instance"
            self.init(.versionConflict, "expected \(expected)\(found)") { data in
                data.name("v")
                if let actual { data.integer(actual) } else { data.null() }
            }
        case .noSuchInstance(let name):
            self.init(.noSuchInstance, "there is no instance \(name)") {
                $0.member("to", name.text)
            }
        case .alreadyExists(let name, let version):
            self.init(.alreadyExists, "\(name) exists") { $0.place(name, version) }
        case .instanceDone(let name, let version):
            self.init(.instanceDone, "\(name) is done") { $0.place(name, version) }
        default: preconditionFailure("only failures about an instance come here")
        }
    }

    /// The error about a held instance or machine.
    private init(_ subject: HoldSubject, _ kind: Hold.Kind) {
        let code: ErrorCode
        let word: String
        switch kind {
        case .suspended: (code, word) = (.suspended, "is suspended")
        case .setAside: (code, word) = (.setAside, "is set aside: its steps ended the process")
        }
        self.init(code, "\(subject.text) \(word)") { data in
            switch subject {
            case .instance(let name):
                data.member("to", name.text)
            case .machine(let name):
                data.member("machine", name)
            }
        }
    }

    private init(step failure: Failure) {
        switch failure {
        case .badEvent(let path, let message, let expected):
            self.init(.badEvent, message) { data in
                data.member("at", path)
                data.member("expected", expected)
            }
        case .internalEvent(let name):
            self.init(.internalEvent, "only the machine itself sends the event \(name)") {
                $0.member("event", name)
            }
        case .eventRejected(let reason, let state, let event, let accepts):
            self.init(.eventRejected, reason) { data in
                data.member("state", orNull: state)
                data.member("event", orNull: event)
                data.array("accepts", accepts)
            }
        case .evaluation(let message): self.init(.evalError, message)
        case .evaluationLimit(let message): self.init(.evalLimit, message)
        case .stepLimit(let message, let max):
            self.init(.stepLimit, message) { $0.member("max", max.map { Int64($0) }) }
        case .stateTooLarge(let bytes, let max):
            self.init(.stateTooLarge, "the state would have \(bytes) bytes") { data in
                data.member("bytes", Int64(bytes))
                data.member("max", Int64(max))
            }
        default: preconditionFailure("only failures of a step come here")
        }
    }
}

extension JSONWriter {
    /// Appends a member whose value already is JSON; `null` where that is empty.
    mutating func member(_ name: StaticString, orNull json: [UInt8]) {
        self.name(name)
        rawOrNull(json)
    }

    /// Appends JSON that may be missing.
    mutating func rawOrNull(_ json: [UInt8]) {
        if json.isEmpty { null() } else { raw(json) }
    }

    fileprivate mutating func place(_ name: InstanceName, _ version: Int64) {
        member("to", name.text)
        member("v", version)
    }
}
