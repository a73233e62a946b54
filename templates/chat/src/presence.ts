/** Tracks who is online with one document per page, updated every few seconds. A page without updates counts as offline. */
import { type Document, SvcError } from 'svc-toolkit-client'
import { svc } from './svc'
import type { Presence } from './svc-types'

const beatMilliseconds = 10_000
const silentMilliseconds = 25_000
const forgottenMilliseconds = 3_600_000

const presence = svc.collection('presence')

/** Calls back with the names of all users online. Returns a function that leaves. */
export function openPresence(
  me: Pick<Presence, 'userId' | 'name'>,
  show: (names: string[]) => void,
): () => Promise<void> {
  const known = new Map<string, Document<Presence>>()
  let own: Document<Presence> | undefined
  let isOver = false
  // Uses times of the service. The local clock only measures the time since.
  let ahead = 0

  const silence = ({ updatedAt }: Document<Presence>) => Date.now() + ahead - Date.parse(updatedAt)

  function render() {
    const here = [...known.values()].filter((one) => silence(one) < silentMilliseconds)
    // Sorts the latest update last, because a user may have several tabs and the last entry of the map wins.
    here.sort((one, other) => one.updatedAt.localeCompare(other.updatedAt))
    const byUser = new Map(here.map(({ data }) => [data.userId, data.name]))
    show([...byUser.values()].sort())
  }

  async function beat() {
    const last = own
    try {
      own = last
        ? await presence.update(last.id, { beats: last.data.beats + 1 })
        : await presence.create({ ...me, beats: 0 })
      ahead = Date.parse(own.updatedAt) - Date.now()
      known.set(own.id, own)
      if (isOver) await presence.delete(own.id)
    } catch (error) {
      // Another client deletes the document if this machine sleeps. Other errors are retried at the next beat.
      if (error instanceof SvcError && error.code === 'NOT_FOUND') own = undefined
    }
    render()
  }

  async function readAll() {
    const { items } = await presence.list({ sort: '-updatedAt', limit: 100 }).catch(() => ({ items: [] }))
    for (const one of items) known.set(one.id, one)
    render()
    for (const one of items.filter((one) => own && silence(one) > forgottenMilliseconds)) {
      await presence.delete(one.id).catch(() => undefined)
    }
  }

  const subscription = presence.subscribe({
    onChange({ kind, document }) {
      if (kind === 'deleted') known.delete(document.id)
      else known.set(document.id, document)
      render()
    },
    onStatus: (status) => status === 'open' && void readAll(),
    onResync: () => void readAll(),
  })
  void beat()
  const timers = [setInterval(beat, beatMilliseconds), setInterval(render, 5_000)]

  return async () => {
    if (isOver) return
    isOver = true
    subscription.close()
    for (const timer of timers) clearInterval(timer)
    if (own) await presence.delete(own.id).catch(() => undefined)
  }
}
