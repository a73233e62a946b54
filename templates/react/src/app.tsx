import { useAttempt } from './attempt'
import { SignIn } from './sign-in'
import { useAuth } from './svc'
import { Tasks } from './tasks'

export function App({ loginError }: { loginError?: string }) {
  const { user, isLoading, auth } = useAuth()
  const { attempt, problem } = useAttempt()
  if (isLoading) return null
  if (!user) return <SignIn before={loginError?.replaceAll('_', ' ')} />
  return (
    <main>
      <header>
        <h1>Tasks</h1>
        <span>{user.email}</span>
        {/* Signs out in this page at once, even if the service is unreachable. */}
        <button type="button" onClick={() => attempt(() => auth.logOut())}>
          Sign out
        </button>
      </header>
      {problem && <p role="alert">{problem}</p>}
      <Tasks key={user.id} email={user.email} />
    </main>
  )
}
