import Testing
import Transducers

@Suite("StatePath")
struct StatePathTests {
    enum Screen: Equatable { case list([Int]), detail(Int) }
    struct Whole: Equatable {
        var count = 1
        var dialog: Int?
        var screen = Screen.list([])
        var current: Screen?
    }
    struct Oops: Error {}

    typealias Path<Part> = StatePath<Whole, Part>

    @Test func `a property is always there`() throws {
        var whole = Whole()
        let old = try Path.at(\.count).modify(&whole) { count in
            defer { count = 5 }
            return count
        }
        #expect(old == 1)
        #expect(whole == Whole(count: 5))
    }

    @Test func `an optional property is there when it isn't nil`() throws {
        var whole = Whole()
        let dialog = Path<Int>.optional(\.dialog)
        #expect(try dialog.modify(&whole) { $0 += 1 } == nil)
        #expect(whole == Whole())
        whole.dialog = 3
        #expect(try dialog.modify(&whole) { $0 += 1 } != nil)
        #expect(whole.dialog == 4)
    }

    @Test func `a case is there when the enum is of it`() throws {
        var screen = Screen.detail(1)
        let list = StatePath<Screen, [Int]>.case(Screen.list)
        #expect(try list.modify(&screen) { $0.append(1) } == nil)
        #expect(screen == .detail(1))
        screen = .list([1])
        #expect(try list.modify(&screen) { $0.append(2) } != nil)
        #expect(screen == .list([1, 2]))
    }

    @Test func `a part of a part is there when both are`() throws {
        var whole = Whole()
        let detail = Path.at(\.screen, .case(Screen.detail))
        #expect(try detail.modify(&whole) { $0 += 1 } == nil)
        whole.screen = .detail(1)
        #expect(try detail.modify(&whole) { $0 += 1 } != nil)
        #expect(whole.screen == .detail(2))
        let current = Path.optional(\.current, .case(CasePath(Screen.detail)))
        #expect(try current.modify(&whole) { $0 += 1 } == nil)
        whole.current = .detail(7)
        #expect(try current.modify(&whole) { $0 += 1 } != nil)
        #expect(whole.current == .detail(8))
    }

    @Test func `an error is thrown, and an optional part is kept`() {
        var whole = Whole(dialog: 3)
        #expect(throws: Oops.self) {
            try Path.optional(\.dialog).modify(&whole) { _ in throw Oops() }
        }
        #expect(whole == Whole(dialog: 3))
    }

    @Test func `an optional part is changed in place`() throws {
        final class Token {}
        struct Big {
            var token = Token()
            mutating func isOwned() -> Bool { isKnownUniquelyReferenced(&token) }
        }
        struct Holder { var big: Big? = Big() }
        var holder = Holder()
        let isOwned = try StatePath<Holder, Big>.optional(\.big).modify(&holder) { $0.isOwned() }
        #expect(isOwned == true)
    }

    @Test func `the whole is its own part`() throws {
        var count = 1
        #expect(try StatePath<Int, Int>.whole.modify(&count) { $0 + 1 } == 2)
    }
}
