/** Runs in a page of the bench: sends writes with and without the outbox, and shows a create in a long list. */
import { createElement, memo } from 'react'
import { createRoot } from 'react-dom/client'
import { createClient } from '../../dist/client/index.js'
import { offline } from '../../dist/client/offline/index.js'
import { createHooks } from '../../dist/client/react/index.js'
import { openStore } from '../../dist/client/store/index.js'

const posts = 'posts'
const count = 1_000
const until = async (/** @type {() => unknown} */ isDone) => {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve))
}
/** @param {number} begunAt */
const perSecond = (begunAt) => (count * 1_000) / (performance.now() - begunAt)

/** @typedef {{ url: string, apiKey: string }} Service */

/** Creates documents one after the other. @param {Service} service */
export async function sendByScript(service) {
  const svc = createClient(service)
  const begunAt = performance.now()
  for (let number = 0; number < count; number++) await svc.collection(posts).create({ title: `${number}`, number })
  return perSecond(begunAt)
}

/**
 * Sends as many creates that were written offline.
 *
 * @param {Service} service @param {boolean} [isShown] whether a list of 100 rows is open
 */
export async function sendByOutbox(service, isShown = false) {
  let isOffline = false
  const svc = createClient({
    ...service,
    fetch: (url, init) => (isOffline ? Promise.reject(new TypeError('offline')) : fetch(url, init)),
  })
  const store = openStore(svc, { persist: offline() })
  const outbox = store.queue()
  const leave = outbox.subscribe(() => {})
  await until(() => outbox.get().storage === 'ready')
  const list = store.live(posts, { limit: 100 })
  const hide = isShown ? list.subscribe(() => list.get()) : () => {}
  await until(() => !isShown || (list.get().status === 'open' && list.get().items.length === 100))
  isOffline = true
  const { create } = store.mutations(posts)
  const written = Array.from({ length: count }, (_, number) => create({ title: `${number}`, number }))
  await until(() => outbox.get().waiting)
  isOffline = false
  const begunAt = performance.now()
  dispatchEvent(new Event('online'))
  await Promise.all(written)
  const pace = perSecond(begunAt)
  hide()
  leave()
  return pace
}

/** Shows two pages of 500 documents, and returns the milliseconds until creates are drawn. @param {Service} service */
export async function showCreates(service) {
  const { SvcProvider, useLive, useMutation } = createHooks()
  const svc = createClient(service)
  /** @type {ReturnType<typeof useMutation> | undefined} */
  let mutations
  const Row = memo((/** @type {{ post: import('../../dist/client/index.js').Document }} */ { post }) =>
    createElement('li', null, String(post.data.title)),
  )
  const Page = (/** @type {{ offset: number }} */ { offset }) =>
    createElement(
      'ul',
      null,
      ...useLive(posts, { sort: '-number', limit: 500, offset }).items.map((post) =>
        createElement(Row, { key: post.id, post }),
      ),
    )
  const Writes = () => {
    mutations = useMutation(posts)
    return null
  }
  const place = document.body.appendChild(document.createElement('div'))
  const children = [0, 500].map((offset) => createElement(Page, { key: offset, offset }))
  const root = createRoot(place)
  root.render(createElement(SvcProvider, { client: svc }, createElement(Writes), ...children))
  await until(() => place.querySelectorAll('li').length === count)
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const times = []
  for (let round = 0; round < 20; round++) {
    await frame()
    const title = `new ${round}`
    const begunAt = performance.now()
    const written = mutations?.create({ title, number: 10_000 + round })
    let frames = 0
    while (place.querySelector('li')?.textContent !== title) {
      await frame()
      frames++
    }
    times.push({ milliseconds: performance.now() - begunAt, frames })
    await written
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  root.unmount()
  place.remove()
  return times
}
