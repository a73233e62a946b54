import { type FormEvent, useState } from 'react'
import { useAttempt } from './attempt'
import { useAuth } from './svc'

/** Signs in with a password and, if needed, a code, or through the provider. */
export function SignIn({ before }: { before?: string }) {
  const { auth } = useAuth()
  const { attempt, isRunning, problem } = useAttempt(before && `The provider could not sign you in: ${before}.`)
  const [step, setStep] = useState<'log in' | 'sign up' | 'code'>('log in')
  const [email, setEmail] = useState('')

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const password = String(given.get('password'))
    void attempt(async () => {
      if (step === 'code') return auth.verifyCode({ email, code: String(given.get('code')) })
      const result = step === 'sign up' ? await auth.signUp({ email, password }) : await auth.logIn({ email, password })
      if (result.requires2fa) setStep('code')
    })
  }

  return (
    <main className="sign-in">
      <h1>Tasks</h1>
      <form className="card" onSubmit={submit}>
        {step === 'code' ? (
          <label>
            Code from your authenticator app, or recovery code
            <input name="code" autoComplete="one-time-code" required />
          </label>
        ) : (
          <>
            <label>
              Email
              <input type="email" value={email} onChange={({ target }) => setEmail(target.value)} required />
            </label>
            <label>
              Password
              <input name="password" type="password" required />
            </label>
          </>
        )}
        {problem && <p role="alert">{problem}</p>}
        <button type="submit" className="main" disabled={isRunning}>
          {step === 'sign up' ? 'Sign up' : 'Sign in'}
        </button>
        {step === 'log in' && (
          <>
            <p className="or">or</p>
            <button
              type="button"
              onClick={() => attempt(() => auth.redirectToLogin({ returnTo: location.origin + location.pathname }))}
            >
              Sign in with the provider
            </button>
            <button type="button" className="link" onClick={() => setStep('sign up')}>
              New here? Sign up
            </button>
          </>
        )}
        {step !== 'log in' && (
          <button type="button" className="link" onClick={() => setStep('log in')}>
            Back
          </button>
        )}
      </form>
    </main>
  )
}
