/** The one connection of this tab, and what all pages know about the server. */

import { Client } from './grove.js'

const TOKEN = 'grove-token'

/** The address of a path of the server, also after a prefix of a proxy. */
export function serverURL(path) {
  return new URL(path, document.baseURI.split('#')[0]).href
}

/** The token of this tab, if the server asks for one. */
export function storedToken() {
  return sessionStorage.getItem(TOKEN) ?? undefined
}

/** A call or subscription that ends with its page waits as long as the page, through any outage. */
class Link extends Client {
  request(op, fields, options = {}) {
    return super.request(op, fields, patient(options))
  }

  subscribe(options) {
    return super.subscribe(patient(options))
  }
}

function patient(options) {
  return options.signal && options.timeout === undefined ? { ...options, timeout: Infinity } : options
}

function open() {
  return new Link(serverURL('v1/socket'), { name: 'console', token: storedToken(), timeout: 15_000 })
}

/** The client; another one after a token was given. */
export let grove = open()

/** Proves who the user is from now on; the page is built again. */
export function signIn(token) {
  if (token === undefined) sessionStorage.removeItem(TOKEN)
  else sessionStorage.setItem(TOKEN, token)
  grove.close()
  reasons.clear()
  definitionsCache = undefined
  grove = open()
}

/** A key by which the server knows a repeated request. Keys of the console begin in the same way, so
 * that a timeline shows what was done by hand. */
export const newKey = () => `console.${grove.key()}`

const reasons = new Map()

/**
 * Why the user can't do something with an instance, or nothing: `manage` it, or `send` an event to it.
 * The server says so when it is asked to try an import, or whether it would take an event; neither
 * changes anything. A grant may be for some instances of a machine only: then the act itself says so.
 */
export async function whyNot(verb, to, event = '') {
  const key = `${verb} ${to.split('/')[0]}`
  if (!reasons.has(key)) {
    const question = verb === 'manage' ? grove.import(to, { v: 0, state: null, trial: true })
      : grove.can(to, event)
    reasons.set(key, question.then(() => undefined, error => {
      if (!error.isRefusal) reasons.delete(key)
      if (error.code !== 'FORBIDDEN') return undefined
      return error.data?.verb ? `You have no grant of “${error.data.verb}” for this.`
        : 'This address only reads.'
    }))
  }
  return reasons.get(key)
}

/** The properties of a button that a reason disables. */
export const offFor = reason => reason ? { disabled: true, title: reason } : {}

let definitionsCache
let definitionsTime = 0

/** The machines, read again after some seconds. */
export async function definitions(signal) {
  if (!definitionsCache || Date.now() - definitionsTime > 5000) {
    definitionsCache = (await grove.request('definitions', { counts: true }, { signal })).items
    definitionsTime = Date.now()
  }
  return definitionsCache
}

/** Asks for `stats` again and again until the signal. */
export async function pollStats(signal, every, show) {
  let before
  let at = 0
  while (!signal.aborted) {
    if (!document.hidden) {
      const now = await grove.stats({ signal })
      const time = performance.now()
      show(now, before, (time - at) / 1000)
      before = now
      at = time
    }
    await new Promise(resolve => setTimeout(resolve, every))
  }
}

/**
 * Records in groups: what has arrived within a moment, at most `max`. The next group is only asked
 * for when the page has taken the last one, so that a hidden page grants nothing.
 */
export async function* batches(subscription, max = 100) {
  const none = Symbol('none')
  let next = subscription.next()
  for (;;) {
    const batch = []
    for (let item = await next; item !== none; ) {
      if (item.done) {
        if (batch.length) yield batch
        return
      }
      batch.push(item.value)
      next = subscription.next()
      // Its failure is seen when it is awaited.
      next.catch(() => {})
      if (batch.length >= max) break
      item = await Promise.race([next, new Promise(resolve => setTimeout(resolve, 20, none))])
    }
    yield batch
  }
}
