/// Facts about a type from its metadata.
///
/// Swift has no public means to find out whether a type is an enum, so this reads the first word of
/// its metadata, the kind, whose values are part of the stable ABI on Apple's systems and the
/// same on Linux (`MetadataKind.def` in the compiler's sources: 0x200 struct, 0x201 enum,
/// 0x202 optional). The second word of a struct's or enum's metadata points at its descriptor,
/// which all instances of one generic type share. An enum's descriptor says in its first word that
/// it is one, and in its sixth and seventh word of 32 bits the numbers of cases with and without
/// values (`TargetEnumDescriptor` in the ABI's `Metadata.h`). Only these words are read, here
/// and nowhere else, and tests check them against types of every kind.
enum TypeMetadata {
    private static let structKind: UInt = 0x200
    private static let enumKind: UInt = 0x201
    /// The kind of an enum's descriptor, in the lowest five bits of its flags.
    private static let enumDescriptorKind: UInt32 = 18

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

    /// The number of cases of an enum without associated values; `nil` for any other type.
    static func emptyCaseCount<T>(_ type: T.Type) -> Int? {
        guard isEnum(type), let descriptor = UnsafePointer<UInt32>(bitPattern: words(type)[1]),
            descriptor[0] & 0x1F == enumDescriptorKind, descriptor[5] & 0xFF_FFFF == 0
        else { return nil }
        let count = Int(descriptor[6])
        // Such a value is the number of its case, in as few bytes as hold the greatest. Enums of C
        // differ, and have other sizes.
        let size = count <= 1 ? 0 : count <= 1 << 8 ? 1 : 2
        return (1...1 << 16).contains(count) && MemoryLayout<T>.size == size ? count : nil
    }

    /// Whether the type has an ``emptyCaseCount(_:)``.
    @inline(__always)
    static func hasEmptyCases<T>(_ type: T.Type) -> Bool { emptyCaseCount(type) != nil }

    /// The case at an index that ``index(ofEmptyCase:)`` has returned.
    @inline(__always)
    static func emptyCase<T>(_ type: T.Type, known index: Int) -> T {
        let tag = UInt16(truncatingIfNeeded: index).littleEndian
        return withUnsafeBytes(of: tag) { $0.loadUnaligned(as: type) }
    }

    /// The case at an index, in the order of declaration; `nil` if ``emptyCaseCount(_:)`` isn't
    /// larger.
    static func emptyCase<T>(_ type: T.Type, _ index: Int) -> T? {
        guard let count = emptyCaseCount(type), (0..<count).contains(index) else { return nil }
        let tag = UInt16(index).littleEndian
        return withUnsafeBytes(of: tag) { $0.loadUnaligned(as: type) }
    }

    /// The index of a case of an enum that has an ``emptyCaseCount(_:)``.
    static func index<T>(ofEmptyCase value: T) -> Int {
        withUnsafeBytes(of: value) { bytes in
            switch bytes.count {
            case 0: 0
            case 1: Int(bytes[0])
            default: Int(UInt16(littleEndian: bytes.loadUnaligned(as: UInt16.self)))
            }
        }
    }

    /// The first cases of an enum without associated values; `nil` for any other type.
    static func emptyCases<T>(_ type: T.Type, max: Int) -> [T]? {
        guard let count = emptyCaseCount(type) else { return nil }
        return (0..<min(count, max)).compactMap { emptyCase(type, $0) }
    }

    static func isSet(_ type: any Any.Type) -> Bool { descriptor(type) == setDescriptor }

    static func isDictionary(_ type: any Any.Type) -> Bool {
        descriptor(type) == dictionaryDescriptor
    }
}

extension JSONCoding {
    /// Whether `T` is an enum; `Optional` doesn't count as one.
    public static func isEnum<T>(_ type: T.Type) -> Bool { TypeMetadata.isEnum(type) }
}
