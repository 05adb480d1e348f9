import Foundation
import OrderedJSON
import Testing

/// Recognizing an enum: this depends on the layout of Swift's metadata.
@Suite struct TypeMetadataTests {
    enum Empty {}
    enum One { case only }
    enum Plain { case a, b }
    enum Payload { case a(Int), b(String) }
    enum Raw: String { case a }
    indirect enum Recursive { case leaf, node(Recursive) }
    enum Generic<Value> { case none, some(Value) }
    struct Structure { var plain = Plain.a }
    struct GenericStructure<Value> { var value: Value }
    final class Object {}
    actor Agent {}
    protocol Thing {}

    @Test func `enums of every shape are enums`() {
        #expect(JSONCoding.isEnum(Empty.self))
        #expect(JSONCoding.isEnum(One.self))
        #expect(JSONCoding.isEnum(Plain.self))
        #expect(JSONCoding.isEnum(Payload.self))
        #expect(JSONCoding.isEnum(Raw.self))
        #expect(JSONCoding.isEnum(Recursive.self))
        #expect(JSONCoding.isEnum(Generic<Int>.self))
        #expect(JSONCoding.isEnum(Generic<[Plain]>.self))
        #expect(JSONCoding.isEnum(Result<Int, any Error>.self))
        #expect(JSONCoding.isEnum(FloatingPointSign.self))
        #expect(JSONCoding.isEnum(JSONValue.self))
        #expect(JSONCoding.isEnum(Never.self))
    }

    @Test func `nothing else is one`() {
        #expect(!JSONCoding.isEnum(Structure.self))
        #expect(!JSONCoding.isEnum(GenericStructure<Plain>.self))
        #expect(!JSONCoding.isEnum(Int.self))
        #expect(!JSONCoding.isEnum(String.self))
        #expect(!JSONCoding.isEnum([Plain].self))
        #expect(!JSONCoding.isEnum([String: Plain].self))
        #expect(!JSONCoding.isEnum(Plain?.self))
        #expect(!JSONCoding.isEnum(Int??.self))
        #expect(!JSONCoding.isEnum(Object.self))
        #expect(!JSONCoding.isEnum(Agent.self))
        #expect(!JSONCoding.isEnum((Plain, Plain).self))
        #expect(!JSONCoding.isEnum((() -> Plain).self))
        #expect(!JSONCoding.isEnum((any Thing).self))
        #expect(!JSONCoding.isEnum(Any.self))
        #expect(!JSONCoding.isEnum(AnyObject.self))
        #expect(!JSONCoding.isEnum(Plain.Type.self))
        #expect(!JSONCoding.isEnum((any Thing.Type).self))
        #expect(!JSONCoding.isEnum(UnsafeRawPointer.self))
        #expect(!JSONCoding.isEnum(NSObject.self))
        #expect(!JSONCoding.isEnum(Date.self))
    }

    @Test func `the answer is the same in generic code`() {
        func ask<T>(_ type: T.Type) -> Bool { JSONCoding.isEnum(type) }
        @inline(never) func askOpaquely(_ type: any Any.Type) -> Bool {
            func open<T>(_ type: T.Type) -> Bool { JSONCoding.isEnum(type) }
            return _openExistential(type, do: open)
        }
        #expect(ask(Plain.self) && !ask(Structure.self) && !ask(Plain?.self))
        #expect(askOpaquely(Generic<Int>.self) && !askOpaquely([Int].self))
    }
}
