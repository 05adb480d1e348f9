import Testing

@testable import GroveCommands

@Suite("ProgramName")
struct ProgramNameTests {
    private func inserted(_ text: String) -> String {
        ProgramName.$current.withValue("shop") { ProgramName.inserted(into: text) }
    }

    @Test(arguments: [
        ("grove send counter/a go", "shop send counter/a go"),
        ("look with 'grove get'", "look with 'shop get'"),
        (
            "  grove serve --data grove.db\n  grove --help",
            "  shop serve --data grove.db\n  shop --help"
        ),
        ("USAGE: grove <subcommand>", "USAGE: grove <subcommand>"),
        ("no Grove server", "no Grove server"),
        ("a mangrove grows", "a mangrove grows"),
        ("/usr/bin/grove serve", "/usr/bin/grove serve"),
        ("$GROVE_SERVER, else grove", "$GROVE_SERVER, else grove"),
        ("grove 0.1.0", "grove 0.1.0"),
        ("", ""),
    ])
    func `the program's name replaces grove in commands`(text: String, expected: String) {
        #expect(inserted(text) == expected)
        #expect(ProgramName.inserted(into: text) == text)
    }

    @Test(arguments: [
        ("Shop", "shop"), ("ShopFloor", "shop-floor"), ("HTTPShop", "httpshop"), ("shop", "shop"),
        ("Shop2", "shop2"),
    ])
    func `of an application is its type's, in lower case with hyphens`(
        type: String, name: String
    ) {
        #expect(ProgramName.hyphenated(type) == name)
    }
}
