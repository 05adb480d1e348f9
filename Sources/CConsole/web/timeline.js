/** Values as trees, what differs between two, and the steps of an instance in windows of 100 versions. */

import { button, download, fill, h, tag } from './dom.js'
import { brief, bytes, count, errorText, eventName, eventValues, grove, time } from './link.js'

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

const WINDOW = 100

/** A timeline; `open` is called with the version that the user selects. */
export function timeline(to, open, signal) {
  const place = h('div', {})
  const list = h('ol.timeline', { reversed: true, tabindex: '0', 'aria-label': 'Steps, newest first' })
  const pager = h('div.row', {})
  // The window has the versions after `low` up to `high`.
  let [low, high, last, first, selected] = [0, 0, 0, 0, undefined]
  let isLive = true
  let end // The state after the newest step of the list.
  fill(place, pager, list)

  const load = async () => {
    low = Math.max(first, high - WINDOW)
    try {
      const steps = await read(to, low, high, signal)
      if (steps.first !== undefined) first = Math.max(first, steps.first - 1)
      const before = await stateAt(to, Math.max(low, first), signal)
      fill(list, rows(steps.items, before).reverse())
    } catch (error) {
      if (signal.aborted) return
      fill(list, h('li.problem', {}, errorText(error)))
    }
    showPager()
    mark()
  }

  /** Adds the newest steps to a window that ends before them. */
  const extend = async present => {
    const steps = await read(to, high, present, signal).catch(() => undefined)
    // Read as a whole, the window says what is wrong.
    if (!steps?.items.length) return signal.aborted ? undefined : move(present)
    high = steps.items.at(-1).v
    low = Math.max(first, low, high - WINDOW)
    list.prepend(...rows(steps.items, end).reverse())
    while (list.childElementCount > WINDOW) list.lastChild.remove()
    showPager()
    mark()
  }

  const rows = (items, before) => {
    end = before
    return items.map(step => {
      const was = end
      if ('state' in step) end = step.state
      return stepRow(step, was, () => open(step.v === last ? undefined : step.v))
    })
  }

  const move = async to => {
    high = Math.min(last, Math.max(to, first + 1))
    isLive = high === last
    await load()
  }

  const showPager = () => fill(pager,
    h('span.soft', {}, last ? `Versions ${count(low + 1)} to ${count(high)} of ${count(last)}` : 'No steps yet.',
      first ? ` Older ones than ${count(first + 1)} are no longer held.` : ''),
    last > WINDOW && [
      button('Newest', () => move(last), { disabled: high === last }),
      button('Newer', () => move(high + WINDOW), { disabled: high === last }),
      button('Older', () => move(high - WINDOW), { disabled: low <= first }),
      button('Oldest', () => move(first + WINDOW), { disabled: low <= first })])

  const mark = () => {
    for (const item of list.children) {
      const isIt = Number(item.dataset.v) === selected
      item.classList.toggle('selected', isIt)
      if (isIt) item.setAttribute('aria-current', 'step')
      else item.removeAttribute('aria-current')
    }
    const item = list.querySelector('.selected')
    // Only the list scrolls, not the page.
    if (item) list.scrollTop = isLive ? 0 : item.offsetTop - list.clientHeight / 3
  }

  return {
    place,
    async select(version = 0, present = 0, live = true) {
      selected = version
      last = present
      isLive = live
      const isInside = version > low && version <= high
      if (live && high !== last) await move(last)
      else if (!isInside && version > 0) await move(Math.min(last, version + WINDOW / 2))
      else if (!list.firstChild) await move(last)
      else mark()
    },
    async moved(present = 0) {
      const isAtEnd = high === last
      if (present === last) return
      last = present
      if (isLive) selected = present
      if (isAtEnd && present > high && present - high < WINDOW && list.querySelector('[data-v]')) await extend(present)
      else if (isAtEnd || present < high) await move(present)
      else showPager()
    },
  }
}

/** All steps after a version up to another; pages end early at much text. */
async function read(to, low, high, signal) {
  const items = []
  let first
  for (let after = low; after < high;) {
    const page = await grove.history(to, { after, limit: high - after, signal })
    items.push(...page.items.filter(({ v }) => v <= high))
    first ??= page.first
    if (page.next === undefined || items.length >= WINDOW) break
    after = page.next
  }
  return { items, first }
}

async function stateAt(to, version, signal) {
  try {
    return (await grove.get(to, { at: version, signal })).state
  } catch {
    return undefined
  }
}

function stepRow(step, was, open) {
  const values = eventValues(step.event)
  const isByHand = step.dedup?.startsWith('console.') ?? false
  return h('li', { 'data-v': step.v, value: step.v },
    h('button.version', { type: 'button', onclick: open, 'aria-label': `Show version ${step.v}` }, `v ${step.v}`),
    h('div.step', {}, h('div', {}, h('b', {}, eventName(step.event)), values && h('code', {}, ` ${values}`),
      isByHand && [' ', tag('by hand', 'warn')], step.by && h('span.soft', {}, ` by ${step.by}`),
      h('span.when', {}, time(step.at))),
    'state' in step ? was === undefined ? h('code.soft', {}, brief(step.state)) : diffList(was, step.state)
      : h('span.soft', {}, 'the state is the same'),
    step.outputs.length > 0 && h('div.outputs', {}, step.outputs.slice(0, 20).map(output =>
      h('code', {}, `→ ${brief(output)}`)), step.outputs.length > 20 && ` and ${step.outputs.length - 20} more`)))
}
