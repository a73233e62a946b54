import { make } from './dom'
import type { Outbox, Outgoing } from './outbox'
import type { Message } from './svc-types'

export function messageItem({ name, text, fileName, fileUrl }: Message, at?: Date): HTMLElement {
  const time = at ? make('time', { dateTime: at.toISOString() }, at.toLocaleTimeString([], { timeStyle: 'short' })) : ''
  const item = make('li', {}, make('b', {}, name), time, make('p', {}, text))
  if (fileUrl && fileName && isWebAddress(fileUrl)) {
    item.append(make('a', { href: fileUrl, target: '_blank', rel: 'noreferrer' }, fileName))
  }
  return item
}

/** Refuses script URLs from other users, which would run as this user. */
function isWebAddress(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)
}

/** Shows an unsent message with its progress or error. */
export function outgoingItem(outgoing: Outgoing, outbox: Outbox): HTMLElement {
  const { message, file, sent, waiting, refused } = outgoing
  const item = messageItem(message)
  item.classList.add('outgoing')
  if (refused) {
    item.append(
      make('small', { role: 'alert' }, `Not sent: ${refused}`),
      make('button', { className: 'link', onclick: () => outbox.again(outgoing) }, 'Send again'),
      make('button', { className: 'link', onclick: () => outbox.discard(outgoing) }, 'Discard'),
    )
    return item
  }
  if (file) item.append(make('progress', { value: sent, ariaLabel: `Upload of ${file.name}` }))
  if (waiting) item.append(make('small', {}, `Not sent yet. Trying again … ${waiting}`))
  return item
}
