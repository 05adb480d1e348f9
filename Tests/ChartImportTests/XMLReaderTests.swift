import Testing

@testable import ChartImport

struct XMLReaderTests {
    private func fault(_ text: String) -> String? {
        do {
            _ = try XMLReader.read(Array(text.utf8))
            return nil
        } catch {
            let place = LineTable(Array(text.utf8)).place(of: error.offset)
            return "\(place.line):\(place.column) \(error.message)"
        }
    }

    @Test func `elements, attributes, text and references are read`() throws {
        let text = """
            \u{FEFF}<?xml version="1.0" encoding='UTF-8'?>
            <!-- c --><?p i?>
            <a x="1 &lt; 2&#x21;" y='"'><b/>t &amp; <![CDATA[<u>&]]><!-- d -->é</a>
            """
        let root = try XMLReader.read(Array(text.utf8))
        #expect(root.name == "a")
        #expect(root["x"] == "1 < 2!")
        #expect(root["y"] == "\"")
        #expect(root.elements.map(\.name) == ["b"])
        #expect(root.text.string == "t & <u>&é")
        #expect(root.text.collapsed == "t & <u>&é")
    }

    @Test func `namespaces are resolved, and ends of lines become newlines`() throws {
        let text = "<p:a xmlns:p='urn:x' xmlns='urn:y' p:z='1\r\n2'><b>1\r\n2</b></p:a>"
        let root = try XMLReader.read(Array(text.utf8))
        #expect(root.namespace == "urn:x")
        #expect(root.attributes.map(\.namespace) == ["urn:x"])
        #expect(root.attributes.first?.value.string == "1 2")
        #expect(root.elements.first?.namespace == "urn:y")
        #expect(root.elements.first?.text.string == "1\n2")
    }

    @Test func `each byte of a text knows its place in the document`() throws {
        let text = "<a x='é&lt;&amp;b\r\nc'/>"
        let root = try XMLReader.read(Array(text.utf8))
        let value: XMLText = try #require(root.attribute("x")?.value)
        let lines = LineTable(Array(text.utf8))
        let columns = value.bytes.indices.map { lines.place(of: value.offset(of: $0)).column }
        // The two bytes of é, the references, b, the end of the line, and c on the next line.
        #expect(columns == [7, 8, 8, 12, 17, 18, 1])
    }

    @Test(
        arguments: [
            ("", "1:1 an element is expected here"),
            ("<a>", "1:4 an element isn't closed"),
            ("<a></b>", "1:4 '</a>' is expected here"),
            ("<a/><b/>", "1:5 nothing follows the root element"),
            ("<a x='1' x='2'/>", "1:10 the attribute 'x' is repeated"),
            ("<a x='1'y='2'/>", "1:9 a blank is expected before an attribute"),
            ("<a x=1/>", "1:6 a quote is expected here"),
            ("<a x='<'/>", "1:7 '<' is written &lt; in an attribute"),
            ("<a>\n &lol;</a>", "2:2 the entity 'lol' isn't one of XML itself"),
            ("<a>&#0;</a>", "1:4 '&#0;' is no character"),
            ("<a>& b</a>", "1:4 '&' is written &amp;"),
            ("<p:a/>", "1:1 the prefix 'p' isn't declared"),
            ("<a p:x='1'/>", "1:4 the prefix 'p' isn't declared"),
            ("<a><!-- </a>", "1:8 a comment doesn't end"),
            ("<a>\u{1}</a>", "1:4 XML has no control characters"),
            (
                "<?xml version='1.0' encoding='latin1'?><a/>",
                "1:1 the encoding latin1 isn't read: write the document in UTF-8"
            ),
            (
                "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
                "1:13 a document type that declares something isn't read"
            ),
        ])
    func `a broken or hostile document is refused with its place`(text: String, message: String) {
        #expect(fault(text) == message)
    }

    @Test func `a document type without declarations is passed over`() {
        #expect(fault("<!DOCTYPE a SYSTEM 'http://example.org/a.dtd'><a/>") == nil)
    }

    @Test func `depth, elements, attributes and bytes are bounded`() {
        func nested(_ count: Int) -> String {
            String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count)
        }
        #expect(fault(nested(ImportLimits.levelsMax)) == nil)
        #expect(fault(nested(100_000))?.contains("nested 100 deep") == true)
        let many = "<a>" + String(repeating: "<b/>", count: ImportLimits.elementsMax) + "</a>"
        #expect(fault(many)?.contains("100000 elements") == true)
        let attributes = (0...ImportLimits.attributesMax).map { "a\($0)=''" }
        #expect(fault("<a \(attributes.joined(separator: " "))/>")?.contains("64 attr") == true)
        let large = "<a>" + String(repeating: "x", count: ImportLimits.documentBytesMax) + "</a>"
        #expect(fault(large)?.contains("4194304 bytes") == true)
    }

    @Test func `other encodings are refused`() {
        #expect(throws: XMLFault.self) { try XMLReader.read([0xFE, 0xFF, 0, 0x3C]) }
        #expect(throws: XMLFault.self) { try XMLReader.read([0x3C, 0x61, 0xFF]) }
    }
}
