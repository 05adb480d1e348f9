/** Health and numbers of the server, and the backup. */

import { announce, button, copyButton, download, fill, h, isBusy, s, section, select, setBusy, sleep, table, tag } from './dom.js'
import { allowed, bytes, count, duration, errorText, grove, percentile, pollStats } from './link.js'

const SERIES_EVERY = 5000

export async function serverPage({ place, signal }) {
  const health = h('div', {})
  const rates = h('div.charts', {})
  const figures = h('div.columns.thirds', {})
  const limits = h('div', {})
  const all = h('div', {})
  const step = select([['1s', 'The last ten minutes'], ['10s', 'The last two hours']], { 'aria-label': 'Time shown' })
  fill(place, h('h1', {}, 'Server'), section('Health', health), section('Over time', h('div.row', {}, step), rates), figures,
    section('Limits', limits), h('details.card', {}, h('summary', {}, 'All numbers'), all), section('Backup', backup(signal)))
  step.addEventListener('input', () => allowed(readSeries(rates, step, signal), rates))
  allowed(followSeries(rates, step, signal), rates)
  allowed(pollStats(signal, 2000, async (now, before) => {
    const { health: state } = await grove.ping({ health: true, signal })
    showHealth(health, state, now)
    showGroups(figures, now, before)
    showLimits(limits, now, grove.greeting)
    if (all.parentElement.open || !all.firstChild) showAll(all, now)
  }), figures)
}

async function followSeries(place, step, signal) {
  while (!signal.aborted) {
    if (!document.hidden) await readSeries(place, step, signal)
    await sleep(SERIES_EVERY)
  }
}

/** The charts: a title, the names of their numbers in the server's series, and how one is shown. */
const perSecond = value => value < 10 ? value.toFixed(1) : count(Math.round(value))
const lateness = value => value > 10_000_000 ? '> 10 s' : `≤ ${duration(value / 1000)}`
const CHARTS = [['Steps/s', 'engine_steps', perSecond], ['Requests/s', 'requests', perSecond],
  ['Records/s', 'records_published', perSecond], ['Errors/s', 'errors', perSecond], ['Ack p99', 'ack_us.p99', lateness],
  ['Commit p99', 'commit_us.p99', lateness], ['Connections', 'connections', count], ['Buffers', 'buffer_bytes', bytes]]

async function readSeries(place, step, signal) {
  const chosen = step.value
  const { every_ms: every, series } = await grove.stats({ series: chosen, signal })
  // Another time was chosen meanwhile.
  if (step.value !== chosen) return
  fill(place, CHARTS.map(([name, key, show]) => {
    const isRate = show === perSecond
    return chart(name, series[key].map(value => value !== null && isRate ? value * 1000 / every : value), show,
      chosen === '1s' ? 600 : 720)
  }))
}

/** A line of values, the newest at the right; nothing where a value isn't known. */
function chart(name, values, show, most) {
  const known = values.filter(value => value !== null)
  const max = Math.max(...known, 1)
  const now = values.at(-1) ?? undefined
  const lines = []
  values.forEach((value, place) => {
    if (value === null) return
    if (!lines.length || values[place - 1] === null) lines.push([])
    lines.at(-1).push(`${(200 - (values.length - 1 - place) * 200 / (most - 1)).toFixed(1)},${(38 - value / max * 36).toFixed(1)}`)
  })
  const text = now === undefined ? '–' : show(now)
  return h('figure', {}, h('figcaption', {}, name, ' ', h('b', {}, text),
    known.length > 0 && h('span.soft', {}, `, at most ${show(Math.max(...known)).replace('≤ ', '')}`)),
  s('svg', { viewBox: '0 0 200 40', preserveAspectRatio: 'none', role: 'img', 'aria-label': `${name}: ${text}`, class: 'chart' },
    ...lines.map(points => s('polyline', { points: points.join(' '), fill: 'none' }))))
}

function showHealth(place, health, stats) {
  const state = !health.live ? ['A commit doesn’t return', 'bad'] : health.disk_full ? ['The disk is full', 'bad']
    : health.draining ? ['It is shutting down', 'warn'] : health.ready ? ['Ready', 'ok'] : ['Not ready', 'warn']
  fill(place, h('p.row', {}, tag(...state), h('span', {}, `up for ${duration(stats.uptime_ms)}`),
    health.set_aside > 0 && tag(`${count(health.set_aside)} set aside`, 'warn'),
    health.stalled_ms > 1000 && h('span', {}, `last response ${duration(health.stalled_ms)} ago`)))
}

function showGroups(place, now, before) {
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
    group('Refusals', errors(now)))
}

/** Limits with their setting, how full they are, and what raises them. */
function showLimits(place, now, greeting) {
  const rows = [
    ['Connections', 'max-connections', now.connections_max, now.connections, count],
    ['Buffers', 'max-buffers', now.buffer_bytes_max, now.buffer_bytes, bytes],
    ['Requests without a reply', 'max-outstanding', now.requests_outstanding_max, now.requests_outstanding, count],
    ['Requests of one connection', 'max-inflight', greeting.max_inflight, undefined, count],
    ['Unsent bytes of a connection', 'max-pending', greeting.max_pending, undefined, bytes],
    ['Bytes of a line', 'max-line', greeting.max_line, undefined, bytes],
  ]
  // A button that is pressed says so for a moment.
  if (place.contains(document.activeElement)) return
  fill(place, table('Limits', ['Limit', 'Setting', 'Now', 'Most', 'Raise'], rows.map(([title, key, most, is, show]) => [
    title, h('code', {}, key), is === undefined ? '' : h('span', {}, show(is), ' ',
      h('meter', { value: is, max: most, high: most * 0.8, 'aria-label': `${title}: ${show(is)} of ${show(most)}` })), show(most),
    h('div.acts', {}, copyButton('Copy the flag', `--${key} ${most * 2}`, `for ${key}`),
      copyButton('the line of a file', `"${key}": ${most * 2}`, `for ${key}`))])),
  h('p.soft', {}, 'Twice of what there is. After a change of the configuration file, “grove reload” applies it, or says that it takes a restart.'))
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
    if (isBusy(go)) return
    setBusy(go, true)
    try {
      await save(note, signal)
    } catch (error) {
      fill(note, h('span.problem', {}, errorText(error)))
    }
    setBusy(go, false)
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
