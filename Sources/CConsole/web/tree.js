/** Values as trees, and what differs between two. */

import { button, download, h } from './dom.js'
import { bytes } from './format.js'

const CHILDREN = 100
const TEXT_MAX = 64 * 1024
const SHOWN = 2000

/** A value as a tree whose parts open and close. `changed` are the paths that are marked. */
export function tree(value, { name = 'state', changed = new Set(), open = 60 } = {}) {
  const text = JSON.stringify(value) ?? 'null'
  if (text.length > TEXT_MAX) return cut(name, text)
  const budget = { left: open }
  return h('div.tree', {}, part('', value, '$', changed, budget))
}

/** The beginning of a long text, and a button that saves all of it. */
function cut(name, text) {
  return h('div', {}, h('pre.cut', { tabindex: '0' }, text.slice(0, SHOWN) + '…'),
    h('p', {}, `${bytes(text.length)} in all. `,
      button('Download', () => download(`${name.replace(/\W+/g, '-')}.json`, text), { class: 'quiet' })))
}

function part(key, value, path, changed, budget) {
  const mark = changed.has(path) ? 'changed' : ''
  const label = key === '' ? '' : h('span.key', {}, `${key}: `)
  if (typeof value !== 'object' || value === null) {
    return h(`div.leaf${mark && '.' + mark}`, {}, label, leaf(value), mark && h('span.unseen', {}, ' (changed)'))
  }
  const entries = Array.isArray(value) ? value.map((item, place) => [place, item]) : Object.entries(value)
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`
  if (!entries.length) return h('div.leaf', {}, label, h('span.soft', {}, Array.isArray(value) ? '[]' : '{}'))
  budget.left -= entries.length
  const isOpen = path === '$' || budget.left > 0
  const details = h(`details${mark && '.' + mark}`, { open: isOpen }, h('summary', {}, label, h('span.soft', {}, size)))
  const show = () => {
    if (details.childElementCount > 1) return
    const shown = entries.slice(0, CHILDREN)
    details.append(...shown.map(([name, item]) => part(name, item, `${path}.${name}`, changed, budget)))
    if (entries.length > CHILDREN) {
      details.append(h('div.soft', {}, `${entries.length - CHILDREN} more `,
        button('Download', () => download('value.json', JSON.stringify(value, null, 2)), { class: 'quiet' })))
    }
  }
  details.addEventListener('toggle', () => { if (details.open) show() })
  if (isOpen) show()
  return details
}

function leaf(value) {
  const kind = value === null ? 'null' : typeof value
  const text = kind === 'string' ? JSON.stringify(value) : String(value)
  return h(`span.${kind}`, {}, text.length > SHOWN ? text.slice(0, SHOWN) + '…' : text)
}

/** The differences of two values: arrays of a path, the value before and the one after. */
export function differences(before, after, path = '$', found = []) {
  if (Object.is(before, after) || found.length > 50) return found
  const isDeep = [before, after].every(value => typeof value === 'object' && value !== null)
  if (!isDeep || Array.isArray(before) !== Array.isArray(after)) {
    found.push([path, before, after])
    return found
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    differences(before[key], after[key], `${path}.${key}`, found)
  }
  return found
}

/** The differences as lines of text. */
export function diffList(before, after) {
  const found = differences(before, after)
  if (!found.length) return h('span.soft', {}, 'nothing changed')
  const lines = found.slice(0, 12).map(([path, was, is]) => h('li', {},
    path !== '$' && h('span.key', {}, `${path.slice(2)} `),
    was !== undefined && h('del', {}, short(was)), was !== undefined && ' → ',
    is === undefined ? h('span.soft', {}, 'removed') : h('ins', {}, short(is))))
  if (found.length > 12) lines.push(h('li.soft', {}, 'and more'))
  return h('ul.diff', {}, lines)
}

function short(value) {
  const text = JSON.stringify(value) ?? '–'
  return text.length > 80 ? text.slice(0, 80) + '…' : text
}
