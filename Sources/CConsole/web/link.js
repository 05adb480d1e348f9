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
  grove = open()
}

/** Whether requests that change something are refused here. */
export function isReadOnly() {
  return grove.greeting.writes === false
}

/** Why a button is disabled on an address that only reads. */
export const readOnlyReason = 'This address only reads (web-listen-read).'

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
