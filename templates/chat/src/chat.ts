import type { AppUser, Document, LiveStatus } from 'svc-toolkit-client'
import { openCompose } from './compose'
import { find, make } from './dom'
import { messageItem, outgoingItem } from './items'
import { openOutbox } from './outbox'
import { openPresence } from './presence'
import { describeError, hint, svc } from './svc'
import type { Message } from './svc-types'

const pageSize = 50
const messages = svc.collection('messages')

/** Shows the chat to this user. Returns a function that closes it. */
export function openChat({ id: userId, email, data }: AppUser<{ name?: string }>): () => void {
  const name = data.name ?? email
  const over = new AbortController()
  const { signal } = over
  const [list, notice, older] = ['#messages', '#notice', '#older'].map((one) => find(one))
  let newest: readonly Document<Message>[] = []
  let before: readonly Document<Message>[] = []
  let status: LiveStatus = 'connecting'
  let problem = ''
  let refusal = ''

  const outbox = openOutbox(signal, render)
  const leave = openPresence({ userId, name }, (names) => {
    find('#people').replaceChildren(...names.map((one) => make('li', {}, one)))
  })
  // Lists are sorted by newest first unless you set `sort`.
  const live = messages.live({
    limit: pageSize,
    onPage({ items, total }) {
      // Keeps messages on the screen that new ones push off the page. If the page does not overlap with them, drops them,
      // because messages in between may be missing; the button loads them again.
      const known = [...newest, ...before]
      const end = known.findIndex(({ id }) => id === items.at(-1)?.id)
      before = end < 0 || items.length < pageSize ? [] : known.slice(end + 1)
      newest = items
      if (older) older.hidden = total === null || items.length + before.length >= total
      render()
    },
    onStatus(next) {
      status = next
      render()
    },
    onError(error) {
      problem = `New messages are no longer shown. ${describeError(error)}`
      render()
    },
  })

  const oldest = () => before.at(-1) ?? newest.at(-1)

  function render() {
    // Another user may have signed in.
    if (!list || !notice || signal.aborted) return
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40
    const stored = [...newest, ...before].reverse()
    const known = new Set(stored.map(({ data }) => data.key))
    list.replaceChildren(
      ...stored.map(({ data, createdAt }) => messageItem(data, new Date(createdAt))),
      // Skips messages that the list already has, even if their response has not arrived.
      ...outbox.items.filter(({ message }) => !known.has(message.key)).map((one) => outgoingItem(one, outbox)),
    )
    if (isAtEnd) list.scrollTop = list.scrollHeight
    notice.textContent = problem || describeStatus(status, newest.length > 0) || refusal
  }

  openCompose(signal, (text, file) => {
    const key = crypto.getRandomValues(new Uint32Array(4)).join('-')
    outbox.send({ message: { key, name, text }, file })
    if (list) list.scrollTop = list.scrollHeight
  })
  older?.addEventListener(
    'click',
    async () => {
      refusal = ''
      const last = oldest()
      if (!last) return
      const page = await messages.list({ where: olderThan(last), limit: pageSize }).catch((error) => {
        refusal = describeError(error)
      })
      // Drops the page if the oldest message has changed meanwhile, to avoid a gap.
      if (page && last.id === oldest()?.id) {
        before = [...before, ...page.items]
        older.hidden = page.items.length < pageSize
      }
      render()
    },
    { signal },
  )
  async function signOut() {
    if (outbox.items.length > 0 && !confirm('Some messages have not been sent. Sign out anyway?')) return
    // Leaves first, while the token is still valid.
    await leave()
    await svc.auth.logOut().catch(() => undefined)
  }
  find('#leave').addEventListener('click', signOut, { signal })
  // Asks before leaving, because unsent messages exist only in this page.
  window.addEventListener('beforeunload', (event) => outbox.items.length > 0 && event.preventDefault(), { signal })

  return () => {
    over.abort()
    live.close()
    void leave()
    list?.replaceChildren()
  }
}

/** Compares ids too, because several messages may have the same time. */
function olderThan({ createdAt, id }: Document<Message>) {
  return { or: [{ createdAt: { lt: createdAt } }, { createdAt, id: { lt: id } }] }
}

function describeStatus(status: LiveStatus, isRead: boolean): string {
  if (status === 'waiting') return 'The collection “messages” does not exist yet. Create it: npx svc seed seed.json'
  if (status === 'reconnecting') {
    return isRead
      ? 'Offline. Messages may be missing. Trying again …'
      : `Cannot reach the service. Trying again …${hint}`
  }
  return status === 'connecting' && !isRead ? 'Loading …' : ''
}
