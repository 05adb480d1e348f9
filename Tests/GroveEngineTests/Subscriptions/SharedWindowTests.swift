import Testing

@testable import GroveEngine

@Suite("SharedWindow")
struct SharedWindowTests {
    @Test func `past the bound only connections without records on their way get more`() {
        var window = SharedWindow()
        window.change(bytesMax: 1_000)
        window.add(999)
        #expect(window.isOpen(outstanding: 999))
        window.add(1)
        #expect(!window.isOpen(outstanding: 1) && window.isOpen(outstanding: 0))
        window.add(500)
        #expect(!window.isOpen(outstanding: 0), "at half as much again nobody does")
    }

    @Test func `each stage ends well below its start, and reports it`() {
        var window = SharedWindow()
        window.change(bytesMax: 1_000)
        window.add(1_500)
        let news = [250, 1, 749, 1].map { bytes in window.remove(bytes) }
        #expect(news == [false, true, false, true])
        #expect(window.isOpen(outstanding: 1) && window.bytes == 499)
        window.add(1_001)
        _ = window.remove(251)
        #expect(window.isOpen(outstanding: 0) && !window.isOpen(outstanding: 1))
    }

    @Test func `a changed bound holds at once`() {
        var window = SharedWindow()
        window.add(1_000)
        #expect(window.isOpen(outstanding: 1_000), "there is none unless it is said")
        window.change(bytesMax: 500)
        #expect(!window.isOpen(outstanding: 0))
        window.change(bytesMax: 2_000)
        #expect(window.isOpen(outstanding: 1_000))
    }
}
