'use client'

import { useActionState } from 'react'
import { add, signIn } from './actions'

export function SignIn() {
  const [{ problem, email }, action, isPending] = useActionState(signIn, {})
  return (
    <form action={action} className="card">
      <h1>Tasks</h1>
      {email ? (
        <label>
          Code from your authenticator app
          <input name="code" inputMode="numeric" autoComplete="one-time-code" required />
        </label>
      ) : (
        <>
          <label>
            Email
            <input name="email" type="email" autoComplete="username" required />
          </label>
          <label>
            Password
            <input name="password" type="password" autoComplete="current-password" required />
          </label>
        </>
      )}
      {problem && <p role="alert">{problem}</p>}
      <button type="submit" disabled={isPending}>
        Sign in
      </button>
      {!email && (
        <button type="submit" name="new" value="yes" disabled={isPending}>
          Sign up
        </button>
      )}
    </form>
  )
}

export function AddTask() {
  const [{ problem }, action, isPending] = useActionState(add, {})
  return (
    <form action={action} className="add">
      <input name="title" aria-label="New task" placeholder="What needs to be done?" required />
      <button type="submit" disabled={isPending}>
        Add
      </button>
      {problem && <p role="alert">{problem}</p>}
    </form>
  )
}
