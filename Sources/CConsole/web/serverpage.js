/** Health and numbers of the server, and the backup. */

import { announce, button, download, fill, h, s, section, sleep, table, tag } from './dom.js'
import { allowed, bytes, count, duration, errorText, grove, percentile, pollStats } from './link.js'

const SAMPLES = 300

export async function serverPage({ place, signal }) {
  const health = h('div', {})
  const rates = h('div.charts', {})
  const figures = h('div.columns.thirds', {})
  const all = h('div', {})
  fill(place, h('h1', {}, 'Server'), section('Health', health), section('Since this page was opened', rates),
    figures, h('details.card', {}, h('summary', {}, 'All numbers'), all), section('Backup', backup(signal)))
  const history = []
  allowed(pollStats(signal, 2000, async (now, before, seconds) => {
    const { health: state } = await grove.ping({ health: true, signal })
    showHealth(health, state, now)
    if (before) {
      history.push(sample(now, before, seconds))
      if (history.length > SAMPLES) history.shift()
      showRates(rates, history)
    }
    showGroups(figures, now, before, grove.greeting)
    if (all.parentElement.open || !all.firstChild) showAll(all, now)
  }), figures)
}

function sample(now, before, seconds) {
  return {
    'Steps/s': (now.engine_steps - before.engine_steps) / seconds,
    'Requests/s': (now.requests - before.requests) / seconds,
    'Records/s': (now.records_published - before.records_published) / seconds,
    'Errors/s': (now.errors - before.errors) / seconds,
  }
}

function showHealth(place, health, stats) {
  const state = !health.live ? ['A commit doesn’t return', 'bad'] : health.disk_full ? ['The disk is full', 'bad']
    : health.draining ? ['It is shutting down', 'warn'] : health.ready ? ['Ready', 'ok'] : ['Not ready', 'warn']
  fill(place, h('p.row', {}, tag(...state), h('span', {}, `up for ${duration(stats.uptime_ms)}`),
    health.set_aside > 0 && tag(`${count(health.set_aside)} set aside`, 'warn'),
    health.stalled_ms > 1000 && h('span', {}, `last response ${duration(health.stalled_ms)} ago`)))
}

function showRates(place, history) {
  fill(place, Object.keys(history[0]).map(name => {
    const values = history.map(item => item[name])
    const now = values.at(-1)
    const most = Math.max(...values)
    const max = Math.max(1, most)
    const width = 200 / Math.max(30, values.length - 1)
    const points = values.map((value, place) =>
      `${(200 - (values.length - 1 - place) * width).toFixed(1)},${(38 - value / max * 36).toFixed(1)}`)
    return h('figure', {}, h('figcaption', {}, name, ' ', h('b', {}, now < 10 ? now.toFixed(1) : count(Math.round(now))),
      h('span.soft', {}, `, at most ${most < 10 ? most.toFixed(1) : count(Math.round(most))}`)),
    s('svg', { viewBox: '0 0 200 40', preserveAspectRatio: 'none', role: 'img', 'aria-label': `${name}: ${now.toFixed(1)}`, class: 'chart' },
      s('polyline', { points: points.join(' '), fill: 'none' })))
  }))
}

function showGroups(place, now, before, greeting) {
  const late = name => [0.5, 0.99].map(part => {
    const value = percentile(now, before, name, part) ?? percentile(now, {}, name, part)
    return value === undefined ? '–' : value === Infinity ? '> 10 s' : `≤ ${duration(value / 1000)}`
  }).join(' · ')
  const group = (title, rows) => section(title, h('dl.pairs', {}, rows.map(([key, value]) => [h('dt', {}, key), h('dd', {}, value)])))
  fill(place,
    group('Times', [['Ack, median · p99', late('ack_us')], ['Commit, median · p99', late('commit_us')],
      ['Commits', count(now.commits)], ['Steps committed', count(now.committed_steps)]]),
    group('Connections', [['Open', count(now.connections)], ['Refused at a bound', count(now.connections_refused)],
      ['Subscriptions', count(now.subscriptions)], ['Buffers', bytes(now.buffer_bytes)],
      ['Received · sent', `${bytes(now.bytes_in)} · ${bytes(now.bytes_out)}`]]),
    group('Work', [['Instances', count(now.instances)], ['In memory', count(now.instances_resident)],
      ['Effects', count(now.effects)], ['Handlers running', count(now.effects_under_way)], ['Requests that wait', count(now.requests_waiting)]]),
    group('Disk', [['Data file', bytes(now.file_bytes)], ['Log beside it', bytes(now.wal_bytes)],
      ['Journal', `${count(now.journal_steps)} steps, ${bytes(now.journal_bytes)}`], ['Times without room', count(now.disk_full ?? 0)]]),
    group('Limits of a connection', [['Line', bytes(greeting.max_line)], ['Requests under way', count(greeting.max_inflight)],
      ['Unsent', bytes(greeting.max_pending)], ['Heartbeat', duration(greeting.heartbeat_ms ?? 0)]]),
    group('Refusals', errors(now)))
}

function errors(now) {
  const rows = Object.entries(now).filter(([key, value]) => key.startsWith('errors.') && value)
    .sort((a, b) => b[1] - a[1]).slice(0, 8).map(([key, value]) => [key.slice(7), count(value)])
  return rows.length ? rows : [['Errors', count(now.errors)]]
}

function showAll(place, now) {
  const rows = Object.entries(now).filter(([key]) => !key.includes('.le_')).sort(([a], [b]) => a < b ? -1 : 1)
  fill(place, table('All numbers', ['Name', 'Value'], rows.slice(0, 250).map(([key, value]) => [h('code', {}, key), count(value)])))
}

function backup(signal) {
  const note = h('span', {})
  const go = button('Download a backup', async () => {
    go.disabled = true
    try {
      await save(note, signal)
    } catch (error) {
      fill(note, h('span.problem', {}, errorText(error)))
    }
    go.disabled = false
  })
  return h('div', {}, h('p.soft', {}, 'All data of one moment, as a data file. It passes through the memory of this page; '
    + 'for large files use “grove backup”.'), h('div.row', {}, go, note))
}

/** Copies all data, piece by piece, and saves them. */
async function save(note, signal) {
  let status = await grove.backup({ signal })
  const { backup: id } = status
  const pieces = []
  try {
    while (status.bytes === undefined) {
      note.textContent = `copied ${count(status.copied)} of ${count(status.pages)} pages`
      await sleep(200, signal)
      status = await grove.backup({ backup: id, signal })
    }
    for (let offset = 0; offset < status.bytes;) {
      const { data } = await grove.backup({ backup: id, offset, bytes: 262_144, signal })
      const piece = Uint8Array.from(atob(data), character => character.charCodeAt(0))
      if (!piece.length) break
      pieces.push(piece)
      offset += piece.length
      note.textContent = `${bytes(offset)} of ${bytes(status.bytes)}`
    }
  } finally {
    grove.backup({ backup: id, end: true }).catch(() => {})
  }
  download(`grove-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.db`, ...pieces)
  note.textContent = `${bytes(status.bytes)} saved`
  announce(note.textContent)
}
