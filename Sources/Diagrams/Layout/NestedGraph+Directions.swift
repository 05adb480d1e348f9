extension NestedGraph {
    /// Decides which edges are drawn against the direction of layers, from the outside in: those
    /// that close a cycle when the nodes at one level are visited depth first, from the initial
    /// one. So ports get their sides.
    mutating func direct() {
        for container in containers {
            for number in reversedPieces(in: container) {
                bundles[pieces[number].bundle].isReversed = true
            }
        }
        for number in bundles.indices where bundles[number].from != bundles[number].to {
            direct(bundle: number)
        }
    }

    /// Sets the sides of a bundle's ports and the order of its pieces' ends.
    private mutating func direct(bundle number: Int) {
        let bundle = bundles[number]
        for (index, piece) in bundle.pieces.enumerated() {
            let first = bundle.ports[index]
            let second = bundle.ports[index + 1]
            pieces[piece].upper = bundle.isReversed ? second : first
            pieces[piece].lower = bundle.isReversed ? first : second
        }
        for piece in bundle.pieces.map({ pieces[$0] }) {
            // A child's port faces the other end; from within, the container's own port is on the
            // side where the piece begins or ends.
            ports[piece.upper].isFirst = ports[piece.upper].owner == piece.container
            ports[piece.lower].isFirst = ports[piece.lower].owner != piece.container
        }
    }

    /// The pieces between two children of a node that close a cycle.
    private func reversedPieces(in container: Int) -> [Int] {
        let nodes = children[container]
        let places = Dictionary(uniqueKeysWithValues: nodes.enumerated().map { ($1, $0) })
        var leaving: [[(piece: Int, to: Int)]] = Array(repeating: [], count: nodes.count)
        var entered: [Int] = []
        for number in piecesInside[container] {
            let from = places[ports[pieces[number].upper].owner]
            let to = places[ports[pieces[number].lower].owner]
            if let from, let to {
                leaving[from].append((number, to))
            } else if from == nil, let to {
                entered.append(to)
            }
        }
        let initial = nodes.indices.filter { source.nodes[nodes[$0]].isInitial }
        let anyNodes = nodes.indices.filter { source.nodes[nodes[$0]].kind == .any }
        let order = initial + entered + anyNodes + Array(nodes.indices)
        var reversed: [Int] = []
        var isVisited = Array(repeating: false, count: nodes.count)
        var isOnPath = isVisited
        // Depth first, without recursion: the path, and how far each node on it has been followed.
        var path: [(node: Int, next: Int)] = []
        for start in order where !isVisited[start] {
            path.append((start, 0))
            isVisited[start] = true
            isOnPath[start] = true
            while let (node, next) = path.last {
                guard next < leaving[node].count else {
                    isOnPath[node] = false
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                let (piece, to) = leaving[node][next]
                if isOnPath[to] {
                    reversed.append(piece)
                } else if !isVisited[to] {
                    isVisited[to] = true
                    isOnPath[to] = true
                    path.append((to, 0))
                }
            }
        }
        return reversed
    }
}
