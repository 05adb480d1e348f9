import GroveWire
import OrderedJSON

extension Client {
    /// Takes one line of the server: the greeting, a reply, a record or mark, a heartbeat.
    func receive(_ line: [UInt8]) {
        let document: JSONDocument
        do throws(JSONError) {
            let limits = JSONDocument.limits(lineBytesMax: options.lineBytesMax)
            document = try JSONDocument(parsing: line, limits: limits)
        } catch {
            disconnect(.protocolViolation("the server sent a line that is no JSON: \(error)"))
            return
        }
        let root = document.root
        if phase == .connecting {
            greeted(document)
        } else if let id = document.member("id", of: root) {
            received(document, id: id)
        } else if let name = document.member("sub", of: root).flatMap(document.string) {
            received(document, subscription: name)
        } else {
            switch document.member("op", of: root).flatMap(document.string) {
            case Op.ping.rawValue: transmit(Request(.ping))
            // The server closes when it is through; what comes now waits for the next one.
            case "draining": isDraining = options.retry.isOn
            // What the client does not know it ignores (protocol.md, "Lines").
            default: break
            }
        }
    }

    private func received(_ document: JSONDocument, id: JSONDocument.Node) {
        let error = document.member("error", of: document.root).map {
            ClientError.server(ServerError(document, at: $0))
        }
        guard let number = document.integer(id) else {
            // Ours are integers, so this is about the connection, not about one request.
            disconnect(error ?? .protocolViolation("a reply with an id that was never sent"))
            return
        }
        guard let request = pending.removeValue(forKey: number) else { return }
        if case .hello = request.destination {} else if error == nil { failures = 0 }
        resolve(request.destination, error.map { .failure($0) } ?? .success(Reply(document)))
    }

    private func received(_ document: JSONDocument, subscription name: String) {
        guard let entry = subscriptions[name] else { return }
        failures = 0
        let root = document.root
        if let mark = document.member("mark", of: root).flatMap(document.string) {
            let cursor = document.member("cur", of: root).flatMap(document.string)
            entry.feed.update { $0.receive(SubscriptionMark(mark, document), cursor: cursor) }
            return
        }
        do throws(ClientError) {
            let record = try Record(document)
            entry.feed.update { $0.receive(record) }
        } catch {
            disconnect(error)
        }
    }
}

extension SubscriptionMark {
    init(_ name: String, _ document: JSONDocument) {
        func text(_ name: StaticString) -> String? {
            document.member(name, of: document.root).map(document.plainText)
        }
        self =
            switch name {
            case "live": .live
            case "snapshot": .snapshot
            case "checkpoint": .checkpoint
            case "gap":
                .gap(
                    SubscriptionGap(
                        from: text("from"), to: text("to"), reason: text("reason") ?? "unknown"))
            default: .other(name)
            }
    }
}
