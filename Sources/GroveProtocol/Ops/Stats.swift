import GroveWire
import OrderedJSON

extension RequestDecoder {
    /// The member `series` of `stats`: the row of points that is wanted; `nil` for the numbers of
    /// now.
    func seriesStep() throws(WireError) -> SeriesStep? {
        try word("series", SeriesStep.allCases.map(\.rawValue))
            .flatMap(SeriesStep.init(rawValue:))
    }
}

extension ReplyEncoder {
    /// The members of a reply that are numbers, each after a comma.
    package static func members(_ numbers: [(name: String, value: Int64)]) -> [UInt8] {
        var writer = JSONWriter()
        append(numbers, &writer)
        return writer.bytes
    }

    static func append(_ numbers: [(name: String, value: Int64)], _ writer: inout JSONWriter) {
        for (name, value) in numbers {
            writer.comma()
            writer.string(name)
            writer.bytes.append(UInt8(ascii: ":"))
            writer.integer(value)
        }
    }
}
