/** The drawing of a machine, or its transitions as a table. */

import { fill, h, s, table } from './dom.js'
import { serverURL, statePath, storedToken } from './link.js'

const ELEMENTS = new Set(['svg', 'g', 'rect', 'path', 'circle', 'ellipse', 'line', 'polygon', 'text', 'tspan', 'title'])
const ATTRIBUTES = /^(class|d|x|y|x1|y1|x2|y2|cx|cy|r|rx|ry|points|width|height|viewBox|fill|stroke|stroke-(width|dasharray|linecap)|font-(size|family|weight|style)|text-anchor|transform|role|data-[a-z]+)$/

async function load(machine, signal) {
  const token = storedToken()
  const headers = token ? { Authorization: `Bearer ${token}` } : {}
  try {
    const reply = await fetch(serverURL(`v1/machines/${encodeURIComponent(machine)}/diagram.svg`), { headers, signal })
    return reply.ok ? read(await reply.text()) : undefined
  } catch (error) {
    if (signal.aborted) throw error
    return undefined
  }
}

const PART = /<(\/?)([A-Za-z]+)((?:\s+[\w:-]+="[^"]*")*)\s*(\/?)>|([^<]+)/g
const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': '\'' }
const plain = text => text.replace(/&([a-z]+|#39);/g, (all, name) => ENTITIES[name] ?? all)

/**
 * Makes the elements of a drawing, as the server writes them: only those that draw, with attributes
 * that draw. Styles, scripts and links are left out with what is in them. The browser's parsers would
 * need a page that trusts texts.
 */
export function read(text) {
  const root = s('g')
  const open = [root]
  for (const [, end, name, attributes, isEmpty, characters] of text.matchAll(PART)) {
    const top = open.at(-1)
    if (characters !== undefined) {
      if (characters.trim()) top?.append(plain(characters))
    } else if (end) {
      if (open.length > 1) open.pop()
    } else {
      const isKnown = top && ELEMENTS.has(name)
      const element = isKnown ? s(name, Object.fromEntries([...attributes.matchAll(/([\w:-]+)="([^"]*)"/g)]
        .map(([, key, value]) => [key, plain(value)])
        .filter(([key, value]) => ATTRIBUTES.test(key) && !/url\s*\(/i.test(value)))) : undefined
      if (isKnown) top.append(element)
      if (!isEmpty) open.push(element)
    }
  }
  return root.firstElementChild?.localName === 'svg' ? root.firstElementChild : undefined
}

/** The names under which `get` may list a node: its label, and its path from the top. */
function namesOf(graph) {
  const nodes = new Map(graph.nodes.map(node => [node.id, node]))
  return new Map(graph.nodes.map(node => {
    let path = node.label
    for (let up = nodes.get(node.parent); up; up = nodes.get(up.parent)) path = `${up.label}.${path}`
    return [node.id, [node.label, path]]
  }))
}

/** The ids of nodes that are active; a full path counts before a label that several may have. */
function activeNodes(graph, active) {
  const names = namesOf(graph)
  const ids = new Set()
  for (const name of active) {
    let found = [...names].filter(([, [, path]]) => path === name)
    if (!found.length) found = [...names].filter(([, [label]]) => label === name)
    for (const [id] of found) ids.add(id)
  }
  return ids
}

/**
 * A drawing that `light` updates: `light(names, {event, before})` lights the states of these names,
 * and the arrow of the event from one of the states before.
 */
export async function drawing(description, signal) {
  const place = h('div.drawing', {})
  const graph = description.graph ?? { nodes: [], edges: [] }
  const svg = await load(description.name, signal)
  const rows = h('div', {})
  showTable(rows, description, new Set())
  if (svg) {
    svg.setAttribute('aria-label', `The states of ${description.name}`)
    fill(place, h('div.canvas', { tabindex: '0', role: 'group', 'aria-label': 'Drawing' }, svg),
      !description.transitions?.length && h('p.soft', {}, 'Its code decides: no transitions are known.'),
      h('details', {}, h('summary', {}, 'Transitions as a table'), rows))
  } else {
    fill(place, rows)
  }
  const light = (names, last) => {
    const active = activeNodes(graph, names)
    const before = activeNodes(graph, last?.before ?? [])
    const edges = new Set(graph.edges.filter(edge => last && before.has(edge.from) && active.has(edge.to)
      && (edge.event ?? '').split(/,\s*/).includes(last.event)).map(({ id }) => id))
    svg?.querySelectorAll('[data-node]').forEach(node =>
      node.classList.toggle('lit', active.has(node.dataset.node)))
    svg?.querySelectorAll('[data-edge]').forEach(edge => edge.classList.toggle('lit',
      edge.dataset.edge.split(' ').some(id => edges.has(id))))
    showTable(rows, description, new Set(names))
  }
  return { place, light }
}

function showTable(place, { transitions = [], partial }, active) {
  const cell = path => {
    const name = statePath(path)
    return active.has(name) ? h('b.lit', {}, `● ${name}`, h('span.unseen', {}, ' (active)')) : name
  }
  const rows = transitions.slice(0, 200).map(({ from, event, to, observed }) =>
    [cell(from), event || 'at its start', cell(to), observed ? 'seen in the journal' : ''])
  const hasSeen = transitions.some(({ observed }) => observed)
  fill(place, table('Transitions', ['From', 'Event', 'To', ...hasSeen ? ['Known'] : []],
    rows.map(row => hasSeen ? row : row.slice(0, 3)), 'No transitions are known.'),
  (partial || transitions.length > 200) && h('p.soft', {}, 'There are more.'))
}
