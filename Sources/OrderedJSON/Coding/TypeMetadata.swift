/// What the running program knows about a type beyond its conformances.
///
/// Swift can't tell by any public means whether a type is an enum, so this reads the first word of
/// its metadata, the kind, whose values are part of the stable ABI on Apple's systems and the
/// same on Linux (`MetadataKind.def` in the compiler's sources: 0x200 struct, 0x201 enum,
/// 0x202 optional). The second word of a struct's metadata points at what all instances of one
/// generic type share. Only these two words are read, here and nowhere else, and a test checks
/// them against types of every kind.
enum TypeMetadata {
    private static let structKind: UInt = 0x200
    private static let enumKind: UInt = 0x201

    private static let setDescriptor = descriptor(Set<Int>.self)
    private static let dictionaryDescriptor = descriptor(Dictionary<Int, Int>.self)

    /// The first words of the type's metadata. An existential metatype is one word in every
    /// context, where `T.Type` itself may have no size at all.
    @inline(__always)
    private static func words(_ type: any Any.Type) -> UnsafePointer<UInt> {
        unsafeBitCast(type, to: UnsafePointer<UInt>.self)
    }

    private static func descriptor(_ type: any Any.Type) -> UInt {
        let words = words(type)
        return words[0] == structKind ? words[1] : 0
    }

    static func isEnum(_ type: any Any.Type) -> Bool { words(type)[0] == enumKind }

    static func isSet(_ type: any Any.Type) -> Bool { descriptor(type) == setDescriptor }

    static func isDictionary(_ type: any Any.Type) -> Bool {
        descriptor(type) == dictionaryDescriptor
    }
}

extension JSONCoding {
    /// Whether `T` is an enum; `Optional` doesn't count as one.
    public static func isEnum<T>(_ type: T.Type) -> Bool { TypeMetadata.isEnum(type) }
}
