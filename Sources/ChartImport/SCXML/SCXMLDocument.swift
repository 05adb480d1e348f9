/// The states of a document with their new names.
struct SCXMLDocument {
    /// A state's place in the tree.
    struct State {
        let name: String
        /// The offset of the element around it.
        let parent: Int
        /// Whether a transition of its own can stay inside: it has children and isn't parallel.
        let isCompound: Bool
    }

    static let stateNames: Set<String> = ["state", "parallel", "final", "history"]

    /// The states by the offsets of their elements.
    private(set) var states: [Int: State] = [:]
    /// The elements' offsets by their ids.
    private(set) var offsets: [String: Int] = [:]
    /// The new names by id, of states only.
    private(set) var names: [String: String] = [:]
    /// The ids that begin with another name and a `.`, by that name, in document order.
    private(set) var below: [String: [String]] = [:]
    /// The members of the context: data, and what scripts declare.
    private(set) var data: Set<String> = []

    init(_ root: XMLElement, _ problems: inout ProblemCollector) {
        var unnamed: [(element: XMLElement, parent: Int)] = []
        var taken: [String: String] = [:]
        collect(root, parent: root.offset, &unnamed, &taken, &problems)
        var number = 0
        for (element, parent) in unnamed {
            var name: String
            repeat {
                number += 1
                name = "\(element.name)\(number)"
            } while taken[name] != nil
            taken[name] = ""
            add(element, name, parent)
        }
    }

    private mutating func collect(
        _ element: XMLElement, parent: Int,
        _ unnamed: inout [(element: XMLElement, parent: Int)], _ taken: inout [String: String],
        _ problems: inout ProblemCollector
    ) {
        for child in element.elements {
            if child.name == "datamodel" {
                for item in child.elements {
                    if let id = item["id"], !data.insert(id).inserted {
                        problems.error(item.offset, "there is another datum '\(id)'")
                    }
                }
            }
            guard Self.stateNames.contains(child.name) else { continue }
            if let id = child["id"], !id.isEmpty {
                let name = id.replacing(".", with: "_")
                if let other = taken.updateValue(id, forKey: name) {
                    problems.error(
                        child.offset,
                        other == id
                            ? "there is another state '\(id)'"
                            : "'\(id)' and '\(other)' would both be named '\(name)'")
                }
                offsets[id] = child.offset
                names[id] = name
                addPrefixes(of: id)
                add(child, name, parent)
            } else {
                unnamed.append((child, parent))
            }
            collect(child, parent: child.offset, &unnamed, &taken, &problems)
        }
    }

    private mutating func addPrefixes(of id: String) {
        guard id.utf8.count <= ImportLimits.stateNameBytesMax else { return }
        for index in id.indices where id[index] == "." {
            below[String(id[..<index]), default: []].append(id)
        }
    }

    private mutating func add(_ element: XMLElement, _ name: String, _ parent: Int) {
        let isCompound =
            element.name == "state"
            && element.elements.contains { Self.stateNames.contains($0.name) }
        states[element.offset] = State(name: name, parent: parent, isCompound: isCompound)
    }

    /// Adds a member of the context that the datamodel doesn't declare.
    mutating func declare(_ name: String) -> Bool { data.insert(name).inserted }

    /// Whether one state lies within another.
    func isDescendant(_ offset: Int, of other: Int) -> Bool {
        var offset = offset
        while let parent = states[offset]?.parent {
            if parent == other { return true }
            offset = parent
        }
        return false
    }
}
