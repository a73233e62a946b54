import { type FormEvent, useState } from 'react'
import type { Enrolment } from 'svc-toolkit-client'
import { useAttempt } from './attempt'
import { useAuth } from './svc'

type Step =
  | { is: 'idle' }
  | { is: 'enrolling'; enrolment: Enrolment }
  | { is: 'on'; codes: string[] }
  | { is: 'leaving' }

/** Turns two-factor login on and off. */
export function TwoFactor() {
  const { twoFactor } = useAuth().auth
  const { attempt, isRunning, problem } = useAttempt()
  const [step, setStep] = useState<Step>({ is: 'idle' })

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const code = String(new FormData(event.currentTarget).get('code'))
    void attempt(async () => {
      if (step.is === 'enrolling') return setStep({ is: 'on', codes: await twoFactor.verify(code) })
      await twoFactor.disable(code)
      setStep({ is: 'idle' })
    })
  }

  return (
    <section>
      <h2>Two-factor login</h2>
      {step.is === 'idle' && (
        <p className="buttons">
          <button
            type="button"
            disabled={isRunning}
            onClick={() => attempt(async () => setStep({ is: 'enrolling', enrolment: await twoFactor.enable() }))}
          >
            Turn on
          </button>
          <button type="button" onClick={() => setStep({ is: 'leaving' })}>
            Turn off
          </button>
        </p>
      )}
      {step.is === 'enrolling' && (
        <>
          <p>Scan this with your authenticator app, or enter the secret.</p>
          <img src={step.enrolment.qrCode} alt="QR code of the secret" />
          <code>{step.enrolment.secret}</code>
        </>
      )}
      {(step.is === 'enrolling' || step.is === 'leaving') && (
        <form onSubmit={submit}>
          <label>
            Code
            <input name="code" inputMode="numeric" autoComplete="one-time-code" required />
          </label>
          <button type="submit" disabled={isRunning}>
            {step.is === 'enrolling' ? 'Turn on' : 'Turn off'}
          </button>
        </form>
      )}
      {step.is === 'on' && (
        <>
          <p role="status">Two-factor login is on. Save these recovery codes now. They are shown only once.</p>
          <ul className="codes">
            {step.codes.map((code) => (
              <li key={code}>
                <code>{code}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      {problem && <p role="alert">{problem}</p>}
    </section>
  )
}
