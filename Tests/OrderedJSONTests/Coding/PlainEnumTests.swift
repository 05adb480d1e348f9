import Foundation
import OrderedJSON
import Testing

/// Enums that code themselves as plain objects, whose names may look like Grove's form
/// (`EncodingState+Enums`).
@Suite struct PlainEnumTests {
    /// A discriminator of its own, and a nested container with the name that it says.
    enum Document: Codable, Equatable {
        case none
        case invoice(id: Int, customer: Int)

        enum CodingKeys: String, CodingKey { case type, id, invoice }
        enum InvoiceKeys: String, CodingKey { case id }

        init(from decoder: any Decoder) throws {
            let object = try decoder.container(keyedBy: CodingKeys.self)
            guard try object.decode(String.self, forKey: .type) == "invoice" else {
                self = .none
                return
            }
            let invoice = try object.nestedContainer(keyedBy: InvoiceKeys.self, forKey: .invoice)
            self = .invoice(
                id: try object.decode(Int.self, forKey: .id),
                customer: try invoice.decode(Int.self, forKey: .id))
        }

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: CodingKeys.self)
            guard case .invoice(let id, let customer) = self else {
                return try object.encode("none", forKey: .type)
            }
            try object.encode("invoice", forKey: .type)
            try object.encode(id, forKey: .id)
            var invoice = object.nestedContainer(keyedBy: InvoiceKeys.self, forKey: .invoice)
            try invoice.encode(customer, forKey: .id)
        }
    }

    @Test func `a nested container beside a type is a member`() throws {
        let invoice = #"{"type":"invoice","id":1,"invoice":{"id":42}}"#
        try expectRoundTrip(Document.invoice(id: 1, customer: 42), invoice)
        try expectRoundTrip(
            ["b": Document.invoice(id: 1, customer: 42), "a": .none],
            #"{"a":{"type":"none"},"b":"# + invoice + "}")
        try expectRoundTrip([Document.invoice(id: 1, customer: 42), nil], "[" + invoice + ",null]")
    }

    /// The form of a single member, which names the case.
    enum Media: Codable, Equatable {
        case image(String)
        case page(Int)

        enum CodingKeys: String, CodingKey { case image, page }
        struct NoCase: Error {}

        init(from decoder: any Decoder) throws {
            let object = try decoder.container(keyedBy: CodingKeys.self)
            switch object.allKeys.first {
            case .image: self = .image(try object.decode(String.self, forKey: .image))
            case .page: self = .page(try object.decode(Int.self, forKey: .page))
            case nil: throw NoCase()
            }
        }

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: CodingKeys.self)
            switch self {
            case .image(let name): try object.encode(name, forKey: .image)
            case .page(let number): try object.encode(number, forKey: .page)
            }
        }
    }

    @Test func `the only member of an object may name the case`() throws {
        try expectRoundTrip([Media.page(7), .image("x")], #"[{"page":7},{"image":"x"}]"#)
        #expect(try decodingError(Media.self, #"{"pages":7}"#)?.message == "NoCase()")
    }

    /// Whether the nested container comes before, between or after the other members, or alone.
    enum Place: String, Codable, CaseIterable { case before, between, after, alone }

    enum Shape: Codable, Equatable {
        case circle(radius: Double, Place, parts: [String: Shape])
        case point

        enum CodingKeys: String, CodingKey { case kind, circle, place }
        enum CircleKeys: String, CodingKey { case radius, parts, circle, inner }
        enum InnerKeys: String, CodingKey { case radius }

        init(from decoder: any Decoder) throws {
            let object = try decoder.container(keyedBy: CodingKeys.self)
            guard object.contains(.circle) else {
                self = .point
                return
            }
            let circle = try object.nestedContainer(keyedBy: CircleKeys.self, forKey: .circle)
            let inner = try circle.nestedContainer(keyedBy: InnerKeys.self, forKey: .inner)
            self = .circle(
                radius: try inner.decode(Double.self, forKey: .radius),
                try object.decodeIfPresent(Place.self, forKey: .place) ?? .alone,
                parts: try circle.decode([String: Shape].self, forKey: .parts))
        }

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: CodingKeys.self)
            guard case .circle(let radius, let place, let parts) = self else {
                return try object.encode("point", forKey: .kind)
            }
            if place == .after { try object.encode("circle", forKey: .kind) }
            var circle = object.nestedContainer(keyedBy: CircleKeys.self, forKey: .circle)
            var inner = circle.nestedContainer(keyedBy: InnerKeys.self, forKey: .inner)
            try inner.encode(radius, forKey: .radius)
            if place != .between { try circle.encode(parts, forKey: .parts) }
            if place != .alone { try object.encode(place, forKey: .place) }
            if place == .between { try circle.encode(parts, forKey: .parts) }
            try circle.encode(1, forKey: .circle)
        }
    }

    @Test(arguments: Place.allCases)
    func `a nested container and other members come in any order`(place: Place) throws {
        let shape = Shape.circle(radius: 2, place, parts: ["x": .point])
        let circle = #""inner":{"radius":2.0},"parts":{"x":{"kind":"point"}},"circle":1}"#
        let text =
            switch place {
            case .before, .between: #"{"circle":{"# + circle + #","place":"\#(place)"}"#
            case .after: #"{"kind":"circle","circle":{"# + circle + #","place":"after"}"#
            case .alone: #"{"type":"circle","# + circle
            }
        try expectRoundTrip(shape, text)
        try expectRoundTrip(
            Shape.circle(radius: 1, .between, parts: ["a": shape]),
            #"{"circle":{"inner":{"radius":1.0},"parts":{"a":"# + text
                + #"},"circle":1},"place":"between"}"#)
    }

    /// Any JSON: the container of an object is tried first.
    enum Anything: Codable, Equatable {
        case object([String: Anything])
        case text(String)

        struct Name: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            // It is no object then.
            guard let object = try? decoder.container(keyedBy: Name.self) else {
                self = .text(try decoder.singleValueContainer().decode(String.self))
                return
            }
            self = .object([:])
            var members: [String: Anything] = [:]
            for key in object.allKeys {
                members[key.stringValue] = try object.decode(Anything.self, forKey: key)
            }
            self = .object(members)
        }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .object(let members):
                var object = encoder.container(keyedBy: Name.self)
                for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                    try object.encode(member, forKey: Name(stringValue: name))
                }
            case .text(let text):
                var value = encoder.singleValueContainer()
                try value.encode(text)
            }
        }
    }

    @Test func `keys that aren't an enum name members, never cases`() throws {
        try expectRoundTrip(
            Anything.object(["a": .text("type"), "type": .text("a"), "x": .object([:])]),
            #"{"a":"type","type":"a","x":{}}"#)
        try expectRoundTrip([Anything.text("a")], #"["a"]"#)
    }

    /// A text or an object, with a text that is the name of a key.
    enum Hybrid: Codable, Equatable {
        case name(String)
        case size(Int)

        enum CodingKeys: String, CodingKey { case size }

        init(from decoder: any Decoder) throws {
            // It is a name then.
            guard let object = try? decoder.container(keyedBy: CodingKeys.self) else {
                self = .name(try decoder.singleValueContainer().decode(String.self))
                return
            }
            self = .size(try object.decode(Int.self, forKey: .size))
        }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .name(let name):
                var value = encoder.singleValueContainer()
                try value.encode(name)
            case .size(let size):
                var object = encoder.container(keyedBy: CodingKeys.self)
                try object.encode(size, forKey: .size)
            }
        }
    }

    @Test func `a string may be a value of its own beside an object`() throws {
        try expectRoundTrip(
            [Hybrid.name("x"), .name("size"), .size(1)], #"["x","size",{"size":1}]"#)
    }

    /// Members of two types in one object, and an optional one with the name of its case.
    enum Flat: Codable, Equatable {
        case add(amount: Int)
        case note(String?)

        struct Amount: Codable { var amount: Int }
        enum CodingKeys: String, CodingKey { case type, note }

        init(from decoder: any Decoder) throws {
            let object = try decoder.container(keyedBy: CodingKeys.self)
            if let note = try object.decodeIfPresent(String.self, forKey: .note) {
                self = .note(note)
            } else if try object.decode(String.self, forKey: .type) == "note" {
                self = .note(nil)
            } else {
                self = .add(amount: try Amount(from: decoder).amount)
            }
        }

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: CodingKeys.self)
            switch self {
            case .add(let amount):
                try object.encode("add", forKey: .type)
                try Amount(amount: amount).encode(to: encoder)
            case .note(let note):
                try object.encode("note", forKey: .type)
                try object.encodeIfPresent(note, forKey: .note)
            }
        }
    }

    @Test func `an optional member may have the name of its case`() throws {
        try expectRoundTrip(
            [Flat.note(nil), .note("x"), .add(amount: 2)],
            #"[{"type":"note"},{"type":"note","note":"x"},{"type":"add","amount":2}]"#)
    }

    /// Looks through all keys of an object that has a type of its own.
    enum Lister: Codable, Equatable {
        case list([String])

        enum CodingKeys: String, CodingKey { case type, list, other }

        init(from decoder: any Decoder) throws {
            let object = try decoder.container(keyedBy: CodingKeys.self)
            self = .list(object.allKeys.map(\.stringValue).sorted())
        }

        func encode(to encoder: any Encoder) throws {
            guard case .list(let names) = self else { return }
            var object = encoder.container(keyedBy: CodingKeys.self)
            for name in names {
                guard let key = CodingKeys(stringValue: name) else { continue }
                try object.encode("list", forKey: key)
            }
        }
    }

    @Test func `a value that would be read back as another one is refused`() throws {
        try expectRoundTrip(
            ["x": Lister.list(["list", "other"])],
            #"{"x":{"list":"list","other":"list"}}"#)
        let error = encodingError(["x": Lister.list(["list", "type"])])
        #expect(error?.path.hasPrefix("$.x") == true)
        #expect(error?.message.contains("would be read back as another one") == true)
    }

    enum Named: Codable, Equatable {
        case type
        case order(order: [String: Int])
    }

    @Test func `cases of Swift's code keep their form, also with the name type`() throws {
        try expectRoundTrip(
            [Named.type, .order(order: ["order": 1])],
            #"["type",{"type":"order","order":{"order":1}}]"#)
        #expect(try decoded(Named.self, #"{"type":"type"}"#) == .type)
        let error = try decodingError([Named].self, #"[{"order":{"order":{}}}]"#)
        #expect(error?.message == #"the member "type" is missing"#)
        let both = try decodingError(Named.self, #"{"type":"x","order":{"order":{}}}"#)
        #expect(both?.message == #"there is no case "x""#)
    }

    @Test func `a member that is written twice is refused in a case, too`() {
        #expect(encodingError(Twice())?.message == "a member was written twice")
    }

    enum Twice: Encodable {
        case one

        init() { self = .one }

        enum CodingKeys: CodingKey { case one }

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: CodingKeys.self)
            var values = object.nestedContainer(keyedBy: CodingKeys.self, forKey: .one)
            try values.encode(1, forKey: .one)
            try values.encode(2, forKey: .one)
        }
    }
}
