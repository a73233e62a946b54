import type { AppUser, Document, LiveStatus } from 'svc-toolkit-client'
import { openCompose } from './compose'
import { find, make } from './dom'
import { messageItem, outgoingItem } from './items'
import { openOutbox } from './outbox'
import { openPresence } from './presence'
import { hint, problemOf, svc } from './svc'
import type { Message } from './svc-types'

const pageSize = 50
const messages = svc.collection('messages')

/** Shows the chat to this user; the function that it returns ends it. */
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
  // The newest first: lists are, unless they are sorted.
  const live = messages.live({
    limit: pageSize,
    onPage({ items, total }) {
      // Messages that new ones push off the page stay on the screen. Where the page does not reach those that are known, there may be
      // others in between: the button brings them all.
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
      problem = `Messages do not come in any more. ${problemOf(error)}`
      render()
    },
  })

  const oldest = () => before.at(-1) ?? newest.at(-1)

  function render() {
    // Another user may be signed in by then.
    if (!list || !notice || signal.aborted) return
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40
    const stored = [...newest, ...before].reverse()
    const known = new Set(stored.map(({ data }) => data.key))
    list.replaceChildren(
      ...stored.map(({ data, createdAt }) => messageItem(data, new Date(createdAt))),
      // The list may have a message before its answer arrives.
      ...outbox.items.filter(({ message }) => !known.has(message.key)).map((one) => outgoingItem(one, outbox)),
    )
    if (isAtEnd) list.scrollTop = list.scrollHeight
    notice.textContent = problem || noticeOf(status, newest.length > 0) || refusal
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
        refusal = problemOf(error)
      })
      // Of what is behind a message that is not the last any more, there would be a gap before it.
      if (page && last.id === oldest()?.id) {
        before = [...before, ...page.items]
        older.hidden = page.items.length < pageSize
      }
      render()
    },
    { signal },
  )
  async function signOut() {
    if (outbox.items.length > 0 && !confirm('Some messages are not sent yet. Sign out without them?')) return
    // While this user's token is still valid.
    await leave()
    await svc.auth.logOut().catch(() => undefined)
  }
  find('#leave').addEventListener('click', signOut, { signal })
  // Unsent messages are in this page alone.
  window.addEventListener('beforeunload', (event) => outbox.items.length > 0 && event.preventDefault(), { signal })

  return () => {
    over.abort()
    live.close()
    void leave()
    list?.replaceChildren()
  }
}

/** Many may have come in one step, at the same time. */
function olderThan({ createdAt, id }: Document<Message>) {
  return { or: [{ createdAt: { lt: createdAt } }, { createdAt, id: { lt: id } }] }
}

function noticeOf(status: LiveStatus, isRead: boolean): string {
  if (status === 'waiting') return 'There is no collection “messages” yet. Fill it: npx svc seed seed.json'
  if (status === 'reconnecting') {
    return isRead
      ? 'Offline: messages may be missing. Trying again …'
      : `The service does not answer. Trying again …${hint}`
  }
  return status === 'connecting' && !isRead ? 'Loading …' : ''
}
