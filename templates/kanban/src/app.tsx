import { type FormEvent, useState } from 'react'
import { Board } from './board'
import { Avatar, usePeople } from './people'
import { ignore, svc, useAuth, useLive, useMutation, useOutbox } from './svc'

export function App() {
  const { user, isLoading } = useAuth()
  if (isLoading) return null
  return user ? <Boards key={user.id} userId={user.id} /> : <SignIn />
}

function SignIn() {
  const { auth } = useAuth()
  const [problem, setProblem] = useState('')

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget, (event.nativeEvent as SubmitEvent).submitter)
    const given = { email: String(form.get('email')), password: String(form.get('password')) }
    await (form.get('new') ? auth.signUp(given) : auth.logIn(given)).catch(({ message }) => setProblem(message))
  }

  return (
    <form className="sign-in" onSubmit={submit}>
      <h1>Boards</h1>
      <input name="email" type="email" aria-label="Email" placeholder="Email" required />
      <input name="password" type="password" aria-label="Password" placeholder="Password" required />
      {problem && <p role="alert">{problem}</p>}
      <button type="submit">Sign in</button>
      <button type="submit" name="new" value="yes">
        Sign up
      </button>
    </form>
  )
}

/** Lists the boards of the user: permissions hide all others. */
function Boards({ userId }: { userId: string }) {
  const { items: boards, status } = useLive('boards', { sort: 'title' })
  const { create } = useMutation('boards')
  const [opened, setOpened] = useState('')
  const people = usePeople([userId])
  // Opens a new board once the service has given it an id.
  const board = boards.find(({ id }) => id === opened) ?? boards.find(({ id }) => !id.startsWith('new-'))

  async function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const title = String(new FormData(event.currentTarget).get('title'))
    event.currentTarget.reset()
    setOpened((await create({ title, members: [userId] })).id)
  }

  return (
    <>
      <header>
        <nav>
          {boards.map(({ id, data }) => (
            <button key={id} type="button" aria-pressed={id === board?.id} onClick={() => setOpened(id)}>
              {data.title}
            </button>
          ))}
          <form onSubmit={(event) => void add(event).catch(ignore)}>
            <input name="title" aria-label="New board" placeholder="New board" required />
          </form>
        </nav>
        <Outbox isOffline={status === 'reconnecting' || status === 'offline'} />
        <label title="Change your avatar">
          <Avatar person={people.get(userId)} />
          <input
            type="file"
            accept="image/*"
            aria-label="Avatar"
            onChange={({ target }) => target.files?.[0] && void svc.auth.update({ data: { avatar: target.files[0] } })}
          />
        </label>
        <button type="button" onClick={() => void svc.auth.logOut()}>
          Sign out
        </button>
      </header>
      {board && <Board key={board.id} id={board.id} members={board.data.members} userId={userId} />}
    </>
  )
}

/** Shows how many changes wait, and those that the service refused. */
function Outbox({ isOffline }: { isOffline: boolean }) {
  const { pending, sending, conflicts, waiting, problem, discard } = useOutbox()
  const count = pending.length + (sending ? 1 : 0)
  return (
    <span role="status">
      {(isOffline || waiting) && `Offline, ${count} waiting`} {problem?.message}
      {conflicts.map(({ key, error }) => (
        <button key={key} type="button" onClick={() => discard(key)}>
          Not saved: {error?.message} Discard
        </button>
      ))}
    </span>
  )
}
