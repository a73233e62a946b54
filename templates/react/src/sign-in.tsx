import { type FormEvent, useState } from 'react'
import { useAttempt } from './attempt'
import { useAuth } from './svc'

/** Signs in with a password, or through the provider. */
export function SignIn({ before }: { before?: string }) {
  const { auth } = useAuth()
  const { attempt, isRunning, problem } = useAttempt(before && `The provider could not sign you in: ${before}.`)
  const [isNew, setNew] = useState(false)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const given = { email: String(form.get('email')), password: String(form.get('password')) }
    void attempt(() => (isNew ? auth.signUp(given) : auth.logIn(given)))
  }

  return (
    <main className="sign-in">
      <h1>Tasks</h1>
      <form className="card" onSubmit={submit}>
        <label>
          Email
          <input name="email" type="email" required />
        </label>
        <label>
          Password
          <input name="password" type="password" required />
        </label>
        {problem && <p role="alert">{problem}</p>}
        <button type="submit" className="main" disabled={isRunning}>
          {isNew ? 'Sign up' : 'Sign in'}
        </button>
        <p className="or">or</p>
        <button
          type="button"
          onClick={() => attempt(() => auth.redirectToLogin({ returnTo: location.origin + location.pathname }))}
        >
          Sign in with the provider
        </button>
        <button type="button" className="link" onClick={() => setNew(!isNew)}>
          {isNew ? 'Back' : 'New here? Sign up'}
        </button>
      </form>
    </main>
  )
}
