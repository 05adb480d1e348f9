import OrderedJSON

extension ReplyEncoder {
    func append(_ numbers: [(name: String, value: Int64)], _ writer: inout JSONWriter) {
        for (name, value) in numbers {
            writer.comma()
            writer.string(name)
            writer.bytes.append(UInt8(ascii: ":"))
            writer.integer(value)
        }
    }
}
