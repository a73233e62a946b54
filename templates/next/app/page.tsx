import { openVisitor } from '../svc'
import { remove, signOut, toggle } from './actions'
import { FollowChanges } from './follow-changes'
import { AddTask, SignIn } from './forms'

export default async function Page() {
  const svc = await openVisitor()
  // The service says who this is. The page never trusts the cookie alone.
  const session = await svc.auth.session()
  if (!session) return <SignIn />
  const { items } = await svc.collection('tasks').list({ sort: '-createdAt', limit: 100 })
  return (
    <>
      <header>
        <h1>Tasks</h1>
        <form action={signOut}>
          {session.user.email} <button type="submit">Sign out</button>
        </form>
      </header>
      <AddTask />
      <ul>
        {items.map(({ id, data }) => (
          <li key={id} className={data.done ? 'done' : undefined}>
            <form action={toggle.bind(null, id, !data.done)}>
              <button type="submit" aria-label={`${data.done ? 'Reopen' : 'Finish'} ${data.title}`}>
                {data.done ? '✓' : '○'}
              </button>
            </form>
            <span>{data.title}</span>
            <small>{data.by}</small>
            <form action={remove.bind(null, id)}>
              <button type="submit" aria-label={`Delete ${data.title}`}>
                ×
              </button>
            </form>
          </li>
        ))}
      </ul>
      {items.length === 0 && <p>Nothing to do.</p>}
      <FollowChanges />
    </>
  )
}
