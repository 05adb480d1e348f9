/** The steps of an instance, newest first, in windows of 100 versions. */

import { button, fill, h, tag } from './dom.js'
import { brief, count, errorText, eventName, eventValues, time } from './format.js'
import { grove } from './link.js'
import { diffList } from './tree.js'

const WINDOW = 100

/** A timeline; `open` is called with the version that the user selects. */
export function timeline(to, open, signal) {
  const place = h('div', {})
  const list = h('ol.timeline', { reversed: true, tabindex: '0', 'aria-label': 'Steps, newest first' })
  const pager = h('div.row', {})
  // The window has the versions after `low` up to `high`.
  let [low, high, last, first, selected] = [0, 0, 0, 0, undefined]
  let isLive = true
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

  const rows = (items, before) => {
    let state = before
    return items.map(step => {
      const was = state
      if ('state' in step) state = step.state
      return row(step, was, () => open(step.v === last ? undefined : step.v))
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
    /** Shows the window with a version. */
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
    /** The instance has a new version. */
    async moved(present = 0) {
      const isAtEnd = high === last
      if (present === last) return
      last = present
      if (isLive) selected = present
      if (isAtEnd || present < high) await move(present)
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

function row(step, was, open) {
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
