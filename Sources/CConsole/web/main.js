/** Addresses, navigation, the bar of the connection, search and shortcuts. */

import { forgetDraft } from './acts.js'
import { announce, button, fill, h } from './dom.js'
import { definitions, errorText, grove, signIn, storedToken } from './link.js'
import { attention, overview, records } from './overview.js'

const main = document.getElementById('main')
const bar = document.getElementById('bar')

/** The pages by the first part of an address; a machine's name never begins with a tilde. */
const PAGES = {
  '': ['Overview', async () => overview],
  '~attention': ['Attention', async () => attention],
  '~records': ['Records', async () => records],
  '~server': ['Server', async () => (await import('./serverpage.js')).serverPage],
}

let stay = new AbortController()
let shown = ''

function here() {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split('?')
  const parts = path.split('/').filter(part => part !== '').map(part => {
    try {
      return decodeURIComponent(part)
    } catch {
      return part
    }
  })
  return { parts, query: new URLSearchParams(query) }
}

async function pageOf(parts) {
  const [first = ''] = parts
  if (Object.hasOwn(PAGES, first)) return PAGES[first][1]()
  if (parts.length === 1) return (await import('./machine.js')).machinePage
  return (await import('./instance.js')).instancePage
}

/** Shows the page of the address. A page gets its place and a signal that ends it. */
async function go() {
  const { parts, query } = here()
  const key = parts.join('/')
  // The same instance at another version is the same page.
  if (key === shown && key !== '' && main.dispatchEvent(
    new CustomEvent('query', { detail: query, cancelable: true })) === false) return
  shown = key
  stay.abort()
  stay = new AbortController()
  const { signal } = stay
  const title = PAGES[parts[0] ?? '']?.[0] ?? key
  document.title = `${title} – Grove`
  markPage(parts[0] ?? '')
  const place = h('div.page', {}, h('p.none', {}, 'Reading…'))
  fill(main, place)
  scrollTo(0, 0)
  try {
    const page = await pageOf(parts)
    if (signal.aborted) return
    await page({ place, parts, query, signal, main })
    announce(title)
  } catch (error) {
    if (!signal.aborted) fail(place, error)
  }
}

function fail(place, error) {
  fill(place, h('h1', {}, 'This page can’t be shown'), h('p.problem', { role: 'alert' }, errorText(error)),
    h('p', {}, button('Try again', restart), ' ', h('a', { href: '#/' }, 'Overview')))
}

addEventListener('unhandledrejection', event => {
  const error = event.reason
  if (stay.signal.aborted || error?.name === 'AbortError' || error?.code === 'CLOSED') {
    event.preventDefault()
    return
  }
  if (error?.code) {
    event.preventDefault()
    fail(main.firstElementChild ?? main, error)
  }
})

let asking

/** Ends the page and asks who the user is; a form that is there already stays, with what it has. */
function askForToken(error) {
  if (asking?.isConnected) return
  stay.abort()
  document.querySelector('dialog')?.dispatchEvent(new Event('cancel'))
  const input = h('input', { type: 'password', autocomplete: 'off', required: true, 'aria-label': 'Token' })
  asking = h('form.card.narrow', { onsubmit: event => {
    event.preventDefault()
    signIn(input.value.trim())
    watch()
    restart()
  } }, h('h1', {}, 'Who are you?'),
  h('p', {}, 'This server asks for a token. It stays in this tab until the tab is closed.'),
  storedToken() && h('p.problem', { role: 'alert' }, errorText(error)),
  h('div.row', {}, input, h('button', { type: 'submit' }, 'Sign in')))
  fill(main, h('div.page', {}, asking))
  input.focus()
}

function restart() {
  shown = '\n'
  go()
}

function markPage(first) {
  const links = Object.entries(PAGES).map(([name, [title]]) =>
    h('a', { href: `#/${name}`, 'aria-current': name === first ? 'page' : false }, title))
  fill(document.getElementById('pages'), links)
}

// The connection

function watch() {
  const client = grove
  const update = () => {
    if (client !== grove) return
    const isGone = client.status === 'waiting' || (client.status === 'connecting' && client.problem)
    document.body.classList.toggle('gone', Boolean(isGone))
    if (isGone) {
      // The bar stays the same while attempts fail, so that it is said once.
      if (!bar.firstChild) {
        fill(bar, h('span', {}, 'No connection to the server. What you see may be old; the console tries again.'),
          button('Try now', () => client.hurry()))
      }
    } else if (client.refusal) {
      fill(bar, h('span', {}, `The server sends no news for now (${errorText(client.refusal)}). `
        + 'What you see may be old; the console tries again.'))
    } else {
      fill(bar)
    }
    const { server = 'grove', version = '', node = '' } = client.greeting
    // Without accounts everybody is anonymous, and there are no grants.
    const { principal, grants } = client.session
    fill(document.getElementById('foot'), h('span', {}, `${server} ${version}`), node && h('span', {}, node),
      grants && h('span', {}, `as ${principal}`),
      storedToken() && button('Sign out', () => { forgetDraft(); signIn(undefined); watch(); restart() }, { class: 'quiet' }))
  }
  client.addEventListener('status', update)
  client.addEventListener('stranger', ({ detail }) => { if (client === grove) askForToken(detail) })
  update()
}

addEventListener('online', () => grove.hurry())
document.addEventListener('visibilitychange', () => { if (!document.hidden) grove.hurry() })

// Search

const search = document.getElementById('search-text')
let searching

document.getElementById('search').addEventListener('submit', event => {
  event.preventDefault()
  const text = search.value.trim().replace(/^\/+/, '')
  if (text) location.hash = `#/${text.split('/').map(encodeURIComponent).join('/')}`
  search.value = ''
  search.blur()
  main.focus()
})

search.addEventListener('input', () => {
  clearTimeout(searching)
  searching = setTimeout(suggest, 150)
})

async function suggest() {
  const [machine, prefix] = search.value.trim().split('/')
  let names = []
  try {
    if (prefix === undefined) {
      names = (await definitions()).map(({ name }) => `${name}/`).filter(name => name.startsWith(machine))
    } else {
      names = (await grove.list({ machine, prefix, limit: 8 })).items.map(({ to }) => to)
    }
  } catch {
    // A name that isn't one has no suggestions.
  }
  fill(document.getElementById('search-names'), names.map(name => h('option', { value: name })))
}

addEventListener('keydown', event => {
  const isTyping = event.target.closest?.('input, textarea, select, dialog')
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault()
    search.focus()
  }
  if (event.key === 'Escape' && event.target === search) main.focus()
})

// Colors

const scheme = document.getElementById('scheme')
const SCHEMES = { '': 'Colors: system', light: 'Colors: light', dark: 'Colors: dark' }

function paint(name) {
  if (name) document.documentElement.dataset.scheme = name
  else delete document.documentElement.dataset.scheme
  scheme.textContent = SCHEMES[name] ?? SCHEMES['']
  localStorage.setItem('grove-scheme', name)
}

scheme.addEventListener('click', () => {
  const names = Object.keys(SCHEMES)
  paint(names[(names.indexOf(document.documentElement.dataset.scheme ?? '') + 1) % 3])
})
paint(localStorage.getItem('grove-scheme') ?? '')

document.querySelector('.skip').addEventListener('click', event => {
  event.preventDefault()
  main.focus()
})
addEventListener('hashchange', go)
watch()
go()
