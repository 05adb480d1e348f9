import GroveWire
import OrderedJSON

extension Client {
    /// Dispatches one line of the server: the greeting, a reply, a record or mark, a heartbeat.
    func receive(_ line: [UInt8]) {
        let document: JSONDocument
        do throws(JSONError) {
            let limits = JSONDocument.limits(lineBytesMax: options.lineBytesMax)
            document = try JSONDocument(parsing: line, limits: limits)
        } catch {
            disconnect(.protocolViolation("the server sent a line that is no JSON: \(error)"))
            return
        }
        let fields = Fields(document)
        if phase == .connecting {
            receiveGreeting(document)
        } else if let id = fields.node("id") {
            receiveReply(fields, id: document.integer(id))
        } else if let name = fields.string("sub") {
            receive(fields, for: name)
        } else {
            switch fields.string("op") {
            case Op.ping.rawValue: transmit(Request(.ping))
            // The server closes when it has answered; later calls wait for the next connection.
            case "draining": isDraining = options.retry.isOn
            // The client ignores lines that it doesn't know (protocol.md, "Lines").
            default: break
            }
        }
    }

    private func receiveReply(_ fields: Fields, id: Int64?) {
        let error = fields.node("error").map { ServerError(fields.document, at: $0) }
        guard let id else { return receiveWithoutID(error) }
        guard let request = pending.removeValue(forKey: id) else { return }
        if case .hello = request.destination {} else if error == nil { failures = 0 }
        resolve(
            request.destination,
            error.map { .failure(.server($0)) } ?? .success(Reply(fields.document)))
    }

    /// The client's ids are integers, so this is about a line that the server couldn't read, or
    /// about the connection.
    private func receiveWithoutID(_ error: ServerError?) {
        if phase == .open, let error, error.isOfUnreadLine {
            // The server continues with the next line, and answers all others.
            unreadLine = error
            return
        }
        disconnect(
            error.map { .server($0) }
                ?? .protocolViolation("a reply with an id that was never sent"))
    }

    private func receive(_ fields: Fields, for name: String) {
        guard let entry = subscriptions[name] else { return }
        failures = 0
        if let mark = fields.string("mark") {
            let cursor = fields.string("cur")
            entry.feed.update { $0.receive(SubscriptionMark(mark, fields), cursor: cursor) }
            return
        }
        do throws(ClientError) {
            let record = try Record(fields.document)
            entry.feed.update { $0.receive(record) }
        } catch {
            disconnect(error)
        }
    }
}

extension ServerError {
    /// Whether it refuses a line whose id the server couldn't read; the connection continues.
    fileprivate var isOfUnreadLine: Bool {
        known == .badJSON || known == .badRequest || known == .lineTooLong
    }
}
