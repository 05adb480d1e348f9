import Testing
import Transducers

@Suite("CasePath")
struct CasePathTests {
    enum Inner: Equatable { case one(Int), two(Int) }
    enum Whole: Equatable {
        case number(Int)
        case other(Int)
        case labelled(amount: Int)
        case maybe(Int?)
        case list([Int])
        case pair(x: Int, y: String)
        case inner(Inner)
        case nothing
    }
    enum Moved: Equatable {
        case by(Int)
        case by(x: Int)
        case by(y: Int)
        case to(x: Int, y: Int)
        case to(x: Int, z: Int)
    }
    struct NoEnum: Equatable { var number = 1 }

    @Test func `a case by its constructor gives back what it holds`() {
        let number = CasePath(Whole.number)
        #expect(number.embed(3) == .number(3))
        #expect(number.extract(.number(3)) == 3)
        #expect(CasePath(Whole.list).extract(.list([1, 2])) == [1, 2])
        #expect(CasePath(Whole.labelled).extract(.labelled(amount: 4)) == 4)
    }

    @Test func `a case path distinguishes cases that hold the same type`() {
        let number = CasePath(Whole.number)
        #expect(number.extract(.other(3)) == nil)
        #expect(number.extract(.labelled(amount: 3)) == nil)
        #expect(number.extract(.maybe(3)) == nil)
        #expect(number.extract(.nothing) == nil)
        #expect(CasePath(Whole.labelled).extract(.number(3)) == nil)
    }

    @Test func `a case path distinguishes cases by their labels`() {
        let byX = CasePath(Moved.by(x:))
        #expect(byX.extract(.by(x: 3)) == 3)
        #expect(byX.extract(.by(y: 3)) == nil)
        #expect(byX.extract(.by(3)) == nil)
        #expect(CasePath<Moved, Int>(Moved.by(_:)).extract(.by(x: 3)) == nil)
        let toZ = CasePath { (pair: (x: Int, z: Int)) in Moved.to(x: pair.x, z: pair.z) }
        #expect(toZ.extract(.to(x: 1, z: 2))?.z == 2)
        #expect(toZ.extract(.to(x: 1, y: 2)) == nil)
    }

    @Test func `a case that holds an optional tells nil from absence`() {
        let maybe = CasePath(Whole.maybe)
        #expect(maybe.extract(.maybe(3)) == .some(.some(3)))
        #expect(maybe.extract(.maybe(nil)) == .some(.none))
        #expect(maybe.extract(.number(3)) == .none)
    }

    @Test func `a case that holds several values gives them as a tuple`() {
        let pair = CasePath { (pair: (x: Int, y: String)) in Whole.pair(x: pair.x, y: pair.y) }
        let found = pair.extract(.pair(x: 1, y: "a"))
        #expect(found?.x == 1)
        #expect(found?.y == "a")
        #expect(pair.extract(.nothing) == nil)
    }

    @Test func `what isn't an enum has no cases`() {
        let path = CasePath<NoEnum, Int> { NoEnum(number: $0) }
        #expect(path.extract(NoEnum()) == nil)
    }

    @Test func `a case by both directions uses them`() {
        let even = CasePath<Int, Int>({ $0 * 2 }, extract: { $0.isMultiple(of: 2) ? $0 / 2 : nil })
        #expect(even.embed(4) == 8)
        #expect(even.extract(8) == 4)
        #expect(even.extract(7) == nil)
    }

    @Test func `a case of a case goes through both`() {
        let one = CasePath(Whole.inner).appending(CasePath(Inner.one))
        #expect(one.embed(5) == .inner(.one(5)))
        #expect(one.extract(.inner(.one(5))) == 5)
        #expect(one.extract(.inner(.two(5))) == nil)
        #expect(one.extract(.number(5)) == nil)
    }

    @Test func `the whole and what an optional wraps are cases too`() {
        #expect(CasePath<Int, Int>.whole.extract(7) == 7)
        #expect(CasePath<Int, Int>.whole.embed(7) == 7)
        #expect(CasePath<Int?, Int>.some.extract(7) == 7)
        #expect(CasePath<Int?, Int>.some.extract(nil) == nil)
        #expect(CasePath<Int?, Int>.some.embed(7) == .some(7))
        #expect(CasePath { Optional<Int>.some($0) }.extract(7) == 7)
    }
}
