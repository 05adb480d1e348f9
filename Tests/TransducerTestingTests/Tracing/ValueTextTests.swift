import Testing
import Transducers

@testable import TransducerTesting

@Suite("ValueText")
struct ValueTextTests {
    struct Inner { var number = 1 }
    struct Outer {
        var inner = Inner()
        var list = [1, 2]
        var none: Int?
    }
    enum Choice {
        case plain
        case one(Int)
        case labelled(by: String)
        case pair(x: Int, Int)
        case nothing(Void)
    }

    @Test(arguments: [
        (Choice.plain, "plain"), (.one(1), "one(_:)"), (.labelled(by: "x"), "labelled(by:)"),
        (.pair(x: 1, 2), "pair(x:_:)"),
    ])
    func `the name of a case has its labels`(choice: Choice, name: String) {
        #expect(ValueText.name(choice) == name)
    }

    @Test func `a value that is no enum is named by its type`() {
        #expect(ValueText.name(Inner()) == "Inner")
        #expect(ValueText.name(3) == "Int")
    }

    @Test func `a line has the value's own fields`() {
        #expect(
            ValueText.line(Outer())
                == "ValueTextTests.Outer(inner: ValueTextTests.Inner(number: 1), "
                + "list: […], none: nil)")
        #expect(ValueText.line(3) == "3")
    }

    @Test func `a label leaves out the type of a case`() {
        #expect(ValueText.label(Choice.plain) == "plain")
        #expect(ValueText.label(Choice.labelled(by: "a.b")) == #"labelled(by: "a.b")"#)
        #expect(ValueText.label(Inner()) == "ValueTextTests.Inner(number: 1)")
    }

    @Test func `sets and dictionaries are in the same order in every run`() {
        #expect(
            ValueText.all(Set(["c", "a", "b"])) == """
                Set([
                  "a",
                  "b",
                  "c"
                ])
                """)
        #expect(ValueText.line(["b": 1, "a": 2]) == #"["a": 2, "b": 1]"#)
    }

    @Test func `lines are indented, but empty ones`() {
        #expect(ValueText.indented("a\n\nb", by: 2) == "  a\n\n  b")
    }
}
