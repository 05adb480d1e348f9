import OrderedJSON

/// The states of a machine of XState, with their ids there and their names here.
struct XStateTree {
    struct Node {
        let key: String
        let parent: Int?
        /// The way to its object in the text.
        let path: JSONPlaces.Path
        /// The id in XState: the given one, or the machine's with the path.
        let id: String
        /// The id here, unique.
        var name = ""
        var children: [String: Int] = [:]
        var isParallel = false
        /// The state inside that is entered by default, as a target; nil if actions belong to it.
        var initial: String?
    }

    private(set) var nodes: [Node] = []
    private var ids: [String: Int] = [:]
    private var places: [JSONPlaces.Path: Int] = [:]

    init(_ machine: JSONObject) {
        let id = machine["id"]?.string ?? "(machine)"
        add(machine, key: id, id: id, parent: nil, path: [])
        var taken: Set<String> = [""]
        var numbers: [String: Int] = [:]
        for index in nodes.indices.dropFirst() {
            let plain = Self.plain(nodes[index].key)
            var name = plain
            var number = numbers[plain, default: 1]
            while !taken.insert(name).inserted {
                number += 1
                name = "\(plain)_\(number)"
            }
            numbers[plain] = number
            nodes[index].name = name
        }
    }

    /// A name without `.`, which separates names in paths.
    static func plain(_ key: String) -> String {
        let name = key.replacing(".", with: "_")
        return name.hasPrefix("#") ? "_" + name.dropFirst() : name
    }

    /// The recursion is bounded by the depth of JSON texts.
    private mutating func add(
        _ object: JSONObject, key: String, id: String, parent: Int?, path: JSONPlaces.Path
    ) {
        let index = nodes.count
        nodes.append(Node(key: key, parent: parent, path: path, id: id))
        nodes[index].isParallel = object["type"]?.string == "parallel"
        let initial = object["initial"]
        if let text = initial?.string {
            nodes[index].initial = "." + text
        } else if let inner = initial?.object, (inner["actions"]?.array ?? []).isEmpty {
            nodes[index].initial = inner["target"]?.string ?? inner["target"]?[0]?.string
        }
        ids[id] = index
        places[path] = index
        for member in object["states"]?.object ?? JSONObject() {
            guard let inner = member.value.object else { continue }
            let child = nodes.count
            add(
                inner, key: member.name, id: inner["id"]?.string ?? "\(id).\(member.name)",
                parent: index, path: path + [.member("states"), .member(member.name)])
            nodes[index].children[member.name] = child
        }
    }

    /// The state whose object is at a place.
    func index(at path: JSONPlaces.Path) -> Int? { places[path] }

    /// The state of a target (`sibling`, `sibling.child`, `.child`, `#id`, `#id.child`).
    func target(_ text: String, from source: Int) -> Int? {
        if text.hasPrefix("#") {
            let id = String(text.dropFirst())
            if let found = ids[id] { return found }
            let parts = id.split(separator: ".", omittingEmptySubsequences: false)
            guard let first = parts.first, let start = ids[String(first)] else { return nil }
            return descend(start, parts.dropFirst())
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)[...]
        if text.hasPrefix(".") { return descend(source, parts.dropFirst()) }
        return descend(nodes[source].parent ?? source, parts)
    }

    private func descend(_ start: Int, _ keys: ArraySlice<Substring>) -> Int? {
        var current = start
        for key in keys {
            guard let child = nodes[current].children[String(key)] else { return nil }
            current = child
        }
        return current
    }

    /// The state with an id of XState.
    func state(id: String) -> Int? { ids[id] }

    func isDescendant(_ index: Int, of other: Int) -> Bool {
        var current = nodes[index].parent
        while let parent = current {
            if parent == other { return true }
            current = nodes[parent].parent
        }
        return false
    }

    /// A target as it is written here, seen from among the children of a state.
    func text(of index: Int, among parent: Int?) -> String {
        let node = nodes[index]
        if node.parent == parent { return Self.plain(node.key) }
        return "#\(node.name)"
    }
}
