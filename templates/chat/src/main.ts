import { openChat } from './chat'
import { find } from './dom'
import { openSignIn } from './sign-in'
import './style.css'
import { svc } from './svc'

let shownFor: string | undefined
let leave: (() => void) | undefined

openSignIn(find('#sign-in'))
svc.auth.onChange(show)
show(await svc.auth.session())

/** Shows the chat for the signed-in user. Ignores new tokens of the same user. */
function show(session: Awaited<ReturnType<typeof svc.auth.session>>) {
  find('#sign-in').hidden = session !== undefined
  find('#chat').hidden = session === undefined
  if (session?.user.id === shownFor) return
  leave?.()
  shownFor = session?.user.id
  leave = session && openChat(session.user)
}
