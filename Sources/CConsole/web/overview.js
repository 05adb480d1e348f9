/** The pages about all machines: overview, what waits for a person, and the stream of records. */

import { effectTable } from './acts.js'
import { button, field, fill, h, painted, section, select, sleep, table, tag } from './dom.js'
import { allowed, batches, brief, count, definitions, duration, errorText, grove, link, percentile, pollStats, stateName, time } from './link.js'

const NEWEST = 30
const EVENTS = 12

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
  allowed(followNewest(newest, signal), newest)
}

function showMachines(place, items) {
  const hasCounts = items.some(item => item.counts)
  const heads = ['Machine', 'Version', ...hasCounts ? ['Instances', 'Failed', 'Asking'] : [], 'Events']
  fill(place, table('Machines', heads, items.map(item => {
    const { instances, failed, asking } = item.counts ?? {}
    const numbers = hasCounts ? [count(instances), count(failed), count(asking)] : []
    const events = item.takes?.filter(({ internal }) => !internal).map(({ type }) => type) ?? []
    return [
      h('span', {}, link(item.name), item.held && [' ', tag(item.held.replace('_', ' '), 'warn')]),
      item.version, ...numbers, h('span.soft', {}, events.slice(0, EVENTS).join(', ') || 'decoded by the machine', events.length > EVENTS && ` and ${events.length - EVENTS} more`)]
  }), 'This server hosts no machine.'))
}

const FIGURES = ['Instances', 'Effects', 'Steps/s', 'Ack p99', 'Connections', 'Failed effects', 'Open questions']

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
    await sleep(10_000)
    if (signal.aborted) return
  }
}

export function recordText(record) {
  if (record.kind === 'output') return [h('b', {}, record.type ?? 'output'), ' ', brief(record.data)]
  if (record.kind === 'state') return ['→ ', h('b', {}, stateName(record.after))]
  if (record.kind === 'lifecycle') return [record.lifecycle, record.reason ? `: ${record.reason}` : '']
  if (record.kind === 'effect') {
    const { type, kind, id, effect, reason } = record.data
    return [`${kind ?? 'effect'} ${id ?? effect ?? ''} `, h('b', {}, type), reason ? `: ${reason}` : '']
  }
  return brief(record.event)
}

async function followNewest(place, signal) {
  const list = h('tbody', {})
  fill(place, h('p.none', {}, 'No records yet.'))
  const frame = h('div.scroll', { tabindex: '0', role: 'group', 'aria-label': 'Newest records' }, h('table.records', {},
    h('caption.unseen', {}, 'Newest records'),
    h('thead', {}, h('tr', {}, ['At', 'Instance', 'Version', 'Kind', 'What'].map(head => h('th', { scope: 'col' }, head)))), list))
  const subscription = await grove.subscribe({ from: { last: NEWEST }, credit: 200, marks: true, signal })
  for await (const batch of batches(subscription)) {
    const records = batch.filter(({ mark }) => mark === undefined)
    if (!records.length) continue
    await painted()
    if (!frame.isConnected) fill(place, frame)
    list.prepend(...records.slice(-NEWEST).reverse().map(row))
    while (list.rows.length > NEWEST) list.lastChild.remove()
  }
}

export function row(record) {
  return h('tr', {}, [
    ['At', time(record.at)], ['Instance', link(record.to)],
    ['Version', record.to.endsWith('/*') ? '' : link(record.to, record.v, record.v)],
    ['Kind', tag(record.kind)], ['What', recordText(record)],
  ].map(([head, cell]) => h('td', { 'data-head': head }, h('div', {}, cell))))
}

const EFFECTS = 100
const LATE = 5000

export async function attention({ place, signal }) {
  const failed = pages(after => grove.effects({ phase: 'failed', limit: EFFECTS, after, signal }), 'No effect has failed.')
  const asking = pages(after => grove.effects({ phase: 'asking', limit: EFFECTS, after, signal }), 'No question is open.')
  const [late, held, strangers] = [h('div', {}), h('div', {}), h('div', {})]
  const all = () => Promise.all([failed.show(), asking.show(), showLate(late, signal), showHeld(held, signal),
    showStrangers(strangers, signal)])
  fill(place, h('header.title', {}, h('h1', {}, 'Attention'), button('Read again', all)),
    section('Failed effects', failed.place), section('Open questions', asking.place), section('Late timers', late),
    section('Held', held), section('Machines that aren’t hosted', strangers))
  await all()
}

/** Timers that were due some seconds ago, among the oldest ones: their instance or their machine is held,
 * or the server is behind with its work. */
async function showLate(place, signal) {
  const { items, next } = await grove.effects({ phase: 'sleeping', limit: 1000, signal })
  const late = items.filter(({ due }) => new Date(due) < Date.now() - LATE)
  fill(place, effectTable(late.slice(0, EFFECTS), { hasInstance: true, changed: () => showLate(place, signal), empty: 'No timer is late.' }),
    next !== undefined && h('p.soft', {}, `Only the first ${count(items.length)} timers were looked at.`))
}

/** Machines with instances that the server doesn't host: it jumps from name to name. */
async function showStrangers(place, signal) {
  const hosted = new Set((await definitions(signal)).map(({ name }) => name))
  const found = []
  let after
  for (let times = 0; times < 1000 && found.length < EFFECTS; times += 1) {
    const { items: [item] } = await grove.list({ after, limit: 1, signal })
    if (!item) break
    const machine = item.to.split('/')[0]
    if (!hosted.has(machine)) found.push([h('code', {}, machine), link(item.to)])
    // No name sorts after this one.
    after = `${machine}/${'~'.repeat(200)}`
  }
  fill(place, table('Machines that aren’t hosted', ['Machine', 'First instance'], found, 'All instances have their machine.'))
}

function pages(request, empty) {
  const place = h('div', {})
  const starts = [undefined]
  const show = async () => {
    // A page may be empty before the list ends: many effects may be in other phases.
    let after = starts.at(-1)
    let page
    do {
      page = await request(after)
      after = page.next
    } while (!page.items.length && after !== undefined)
    const pager = (starts.length > 1 || after !== undefined) && h('div.row', {},
      h('span.soft', {}, `Page ${starts.length}, ${count(page.items.length)} effects`),
      button('Previous', () => { starts.pop(); show() }, { disabled: starts.length < 2 }),
      button('Next', () => { starts.push(after); show() }, { disabled: after === undefined }))
    fill(place, effectTable(page.items, { hasInstance: true, changed: show, empty }), pager)
  }
  return { place, show }
}

async function showHeld(place, signal) {
  const [machines, suspended, aside] = await Promise.all([definitions(signal),
    grove.list({ held: 'suspended', limit: EFFECTS, signal }), grove.list({ held: 'set_aside', limit: EFFECTS, signal })])
  const rows = [
    ...machines.filter(({ held }) => held).map(({ name, held }) =>
      [link(name), tag(held.replace('_', ' '), 'warn'), '', 'all instances of the machine']),
    ...aside.items.map(item => [link(item.to), tag('set aside', 'bad'), time(item.since), item.reason ?? '']),
    ...suspended.items.map(item => [link(item.to), tag('suspended', 'warn'), time(item.since), item.reason ?? '']),
  ]
  fill(place, table('Held instances and machines', ['Name', 'Held', 'Since', 'Reason'], rows, 'Nothing is held.'),
    (suspended.next ?? aside.next) !== undefined && h('p.soft', {}, 'There are more: the filter of a machine’s page shows them.'))
}

const ROWS = 300
const WINDOW = 600
const KINDS = ['output', 'state', 'effect', 'lifecycle', 'trace']

export async function records({ place, query, signal }) {
  const text = (name, placeholder) => h('input', { name, placeholder, value: query.get(name) ?? '', spellcheck: 'false', autocomplete: 'off' })
  const machine = text('machine', 'order, or or*')
  const instance = text('instance', 'o-1, or 2026-*')
  const type = text('type', 'payment')
  const from = select([['last', 'the last 100 steps'], ['now', 'now'], ['first', 'the first record held']])
  const kinds = KINDS.map(kind => h('input', { type: 'checkbox', name: kind, checked: kind !== 'trace' }))
  const list = h('tbody', {})
  const note = h('p.soft', {}, '')
  // Records pass while it is open.
  const gate = { open: undefined, pass: undefined }
  const pause = button('Pause', () => {
    if (gate.pass) gate.open()
    gate.pass = gate.pass ? undefined : new Promise(open => { gate.open = open })
    pause.textContent = gate.pass ? 'Continue' : 'Pause'
    pause.setAttribute('aria-pressed', String(Boolean(gate.pass)))
  }, { 'aria-pressed': 'false' })
  let stop = new AbortController()
  signal.addEventListener('abort', () => stop.abort())

  const start = () => {
    stop.abort()
    stop = new AbortController()
    fill(list)
    const kind = KINDS.filter((_, place) => kinds[place].checked)
    follow({
      machine: machine.value || undefined, instance: instance.value || undefined, type: type.value || undefined,
      kind: kind.length ? kind : undefined, from: from.value === 'last' ? { last: 100 } : from.value,
    }, list, note, gate, stop.signal)
  }
  let typing
  const filters = h('form.filters', { onsubmit: event => event.preventDefault(), oninput: () => {
    clearTimeout(typing)
    typing = setTimeout(start, 300)
  } }, field('Machine', machine), field('Instance', instance), field('Output', type), field('From', from),
  h('fieldset', {}, h('legend', {}, 'Kinds'), KINDS.map((kind, place) =>
    h('label.check', {}, kinds[place], h('span', {}, kind)))))
  fill(place, h('header.title', {}, h('h1', {}, 'Records'), pause, button('Clear', () => fill(list))),
    section('Filters', filters), h('div.card', {}, note,
      h('div.scroll', { tabindex: '0', role: 'group', 'aria-label': 'Records' }, h('table.records', {},
        h('caption.unseen', {}, 'Records, newest first'),
        h('thead', {}, h('tr', {}, ['At', 'Instance', 'Version', 'Kind', 'What'].map(head => h('th', { scope: 'col' }, head)))), list))))
  start()
}

async function follow(selection, list, note, gate, signal) {
  let seen = 0
  try {
    const subscription = await grove.subscribe({ ...selection, credit: WINDOW, marks: true, signal })
    note.textContent = 'Waiting for records.'
    for await (const batch of batches(subscription, WINDOW)) {
      await gate.pass
      await painted()
      if (signal.aborted) return
      for (const entry of batch) {
        if (entry.mark === 'gap') list.prepend(gapRow(entry))
        else if (entry.mark === undefined) seen += 1
      }
      const fresh = batch.filter(({ mark }) => mark === undefined).slice(-ROWS)
      list.prepend(...fresh.reverse().map(row))
      while (list.rows.length > ROWS) list.lastChild.remove()
      if (seen) {
        note.textContent = `${count(seen)} ${seen === 1 ? 'record' : 'records'}${seen > ROWS ? `; the newest ${ROWS} are shown` : ''}.`
      }
    }
  } catch (error) {
    if (signal.aborted) return
    fill(note, h('span.problem', {}, errorText(error)))
  }
}

function gapRow({ reason }) {
  return h('tr', {}, h('td', { colspan: '5' }, `Records were removed here: ${reason}`))
}
