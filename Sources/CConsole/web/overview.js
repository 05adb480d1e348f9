/** The page that opens everything: machines, rates, and the newest steps of all. */

import { fill, h, painted, section, table, tag } from './dom.js'
import { allowed, brief, count, duration, link, percentile, stateName, time } from './format.js'
import { batches, definitions, grove, pollStats } from './link.js'

const ROWS = 30

export async function overview({ place, signal }) {
  const figures = h('dl.figures', {})
  const machines = h('div', {})
  const newest = h('div', {})
  fill(place, h('h1', {}, 'Overview'), figures,
    h('div.columns.wide-left', {}, section('Machines', machines), section('Newest records', newest)))
  const items = await allowed(definitions(signal), machines)
  if (items) showMachines(machines, items)
  allowed(pollStats(signal, 2000, (now, before, seconds) => showFigures(figures, now, before, seconds)))
  allowed(countTrouble(figures, signal))
  allowed(follow(newest, signal), newest)
}

function showMachines(place, items) {
  const hasCounts = items.some(item => item.counts ?? item.instances !== undefined)
  const heads = ['Machine', 'Version', ...hasCounts ? ['Instances', 'Failed', 'Asking'] : [], 'Events']
  fill(place, table('Machines', heads, items.map(item => {
    const counts = item.counts ?? item
    const numbers = hasCounts ? [count(counts.instances), count(counts.failed), count(counts.asking)] : []
    const events = item.takes?.filter(({ internal }) => !internal).map(({ type }) => type) ?? []
    return [
      h('span', {}, link(item.name), item.held && [' ', tag(item.held.replace('_', ' '), 'warn')]),
      item.version, ...numbers, h('span.soft', {}, events.join(', ') || 'decoded by the machine')]
  }), 'This server hosts no machine.'))
}

const FIGURES = ['Instances', 'Effects', 'Steps/s', 'Ack p99', 'Connections', 'Failed effects', 'Open questions']

/** The place of a number, made when there is one: who may not see it has no blank. */
function figure(place, name) {
  let item = place.querySelector(`[data-figure="${name}"]`)
  if (!item) {
    item = h('dd', { 'data-figure': name }, '–')
    const later = FIGURES.slice(FIGURES.indexOf(name) + 1).map(title => place.querySelector(`[data-figure="${title}"]`))
    place.insertBefore(h('div', {}, h('dt', {}, name), item), later.find(Boolean)?.parentElement ?? null)
  }
  return item
}

function showFigures(place, now, before, seconds) {
  figure(place, 'Instances').textContent = count(now.instances)
  figure(place, 'Effects').textContent = count(now.effects)
  figure(place, 'Connections').textContent = count(now.connections)
  const p99 = percentile(now, before, 'ack_us', 0.99)
  figure(place, 'Ack p99').textContent = p99 === undefined ? '–'
    : p99 === Infinity ? '> 10 s' : `≤ ${duration(p99 / 1000)}`
  if (!before) return
  const rate = (now.engine_steps - before.engine_steps) / seconds
  figure(place, 'Steps/s').textContent = rate < 10 ? rate.toFixed(1) : count(Math.round(rate))
}

async function countTrouble(place, signal) {
  for (;;) {
    for (const [name, phase] of [['Failed effects', 'failed'], ['Open questions', 'asking']]) {
      const { items, next } = await grove.effects({ phase, limit: 100, signal })
      const text = next === undefined ? count(items.length) : `${count(items.length)}+`
      const kind = phase === 'failed' && items.length ? 'bad' : ''
      fill(figure(place, name), h('a', { href: '#/~attention' }, kind ? tag(text, kind) : text))
    }
    await new Promise(resolve => setTimeout(resolve, 10_000))
    if (signal.aborted) return
  }
}

/** What a record is about, in a few words. */
export function recordText(record) {
  if (record.kind === 'output') return [h('b', {}, record.type ?? 'output'), ' ', brief(record.data)]
  if (record.kind === 'state') return ['→ ', h(typeof record.after === 'object' && stateName(record.after)[0] === '{' ? 'span' : 'b', {}, stateName(record.after))]
  if (record.kind === 'lifecycle') return [record.lifecycle, record.reason ? `: ${record.reason}` : '']
  if (record.kind === 'effect') {
    const { type, kind, id, effect, reason } = record.data
    return [`${kind ?? 'effect'} ${id ?? effect ?? ''} `, h('b', {}, type), reason ? `: ${reason}` : '']
  }
  return brief(record.event)
}

async function follow(place, signal) {
  const list = h('tbody', {})
  fill(place, h('p.none', {}, 'No records yet.'))
  const frame = h('div.scroll', { tabindex: '0', role: 'group', 'aria-label': 'Newest records' }, h('table.records', {},
    h('caption.unseen', {}, 'Newest records'),
    h('thead', {}, h('tr', {}, ['At', 'Instance', 'Version', 'Kind', 'What'].map(head => h('th', { scope: 'col' }, head)))), list))
  const subscription = await grove.subscribe({ from: { last: ROWS }, credit: 200, marks: true, signal })
  for await (const batch of batches(subscription)) {
    const records = batch.filter(({ mark }) => mark === undefined)
    if (!records.length) continue
    await painted()
    if (!frame.isConnected) fill(place, frame)
    list.prepend(...records.slice(-ROWS).reverse().map(row))
    while (list.rows.length > ROWS) list.lastChild.remove()
  }
}

/** A row of a record. */
export function row(record) {
  return h('tr', {}, [
    ['At', time(record.at)], ['Instance', link(record.to)],
    ['Version', record.to.endsWith('/*') ? '' : link(record.to, record.v, record.v)],
    ['Kind', tag(record.kind)], ['What', recordText(record)],
  ].map(([head, cell]) => h('td', { 'data-head': head }, h('div', {}, cell))))
}
