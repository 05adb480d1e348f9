/** The live stream of records, under filters. */

import { button, fill, h, painted, section, select, field } from './dom.js'
import { count, errorText } from './format.js'
import { batches, grove } from './link.js'
import { row } from './overview.js'

const ROWS = 300
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
  const gate = new Gate()
  const pause = button('Pause', () => {
    gate.toggle()
    pause.textContent = gate.isShut ? 'Continue' : 'Pause'
    pause.setAttribute('aria-pressed', String(gate.isShut))
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

/** Records pass while it is open. */
class Gate {
  isShut = false
  #waiting = []

  toggle() {
    this.isShut = !this.isShut
    if (!this.isShut) this.#waiting.splice(0).forEach(go => go())
  }

  pass() {
    return this.isShut ? new Promise(go => this.#waiting.push(go)) : undefined
  }
}

async function follow(selection, list, note, gate, signal) {
  let seen = 0
  try {
    const subscription = await grove.subscribe({ ...selection, credit: 200, marks: true, signal })
    note.textContent = 'Waiting for records.'
    for await (const batch of batches(subscription, 200)) {
      await gate.pass()
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
