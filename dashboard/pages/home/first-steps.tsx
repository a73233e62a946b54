import { useEffect, useState } from 'react'
import { useConnections, useFlows } from '../../frame/counts.js'
import { useEvents } from '../../live/context.js'
import { Copy } from '../../parts/button.js'
import { Icon } from '../../parts/icons.js'
import { keepPreference, preference } from '../../parts/preference.js'
import { useSession } from '../../session/context.js'

const steps = [
  { name: 'create', label: 'Create a document', command: 'svc docs create posts title=Hello' },
  { name: 'listen', label: 'Listen to changes', command: 'svc tail posts' },
  { name: 'login', label: 'Log in through the provider', command: 'svc idp login' },
  { name: 'client', label: 'Add it to your app', command: 'svc init' },
  { name: 'test', label: 'Run your tests against it', command: 'svc exec -- npm test' },
] as const

type Step = (typeof steps)[number]['name']

/** Marks steps as done when the emulator sees them happen. Users mark the others themselves. */
export function FirstSteps() {
  const { folder } = useSession()
  const storageKey = `${folder}:steps`
  const [done, setDone] = useState<ReadonlySet<string>>(() => new Set(preference(storageKey)?.split(' ') ?? []))
  const seen = useSeen(done)
  const all = new Set([...done, ...seen])
  const text = [...all].join(' ')
  // Keep a step done even when its event is no longer in the list.
  useEffect(() => {
    setDone(new Set(text.split(' ')))
    keepPreference(storageKey, text)
  }, [storageKey, text])
  return (
    <article className="card">
      <h2>
        First five minutes
        <span className="dim">
          {steps.filter(({ name }) => all.has(name)).length} of {steps.length}
        </span>
      </h2>
      <ol className="steps">
        {steps.map(({ name, label, command }, at) => (
          <li key={name}>
            <button
              type="button"
              className={all.has(name) ? 'good' : 'dim'}
              aria-label={all.has(name) ? `${label}: done` : `${at + 1} ${label}: mark as done`}
              onClick={() => setDone(new Set([...all, name]))}
            >
              {all.has(name) ? <Icon name="check" /> : at + 1}
            </button>
            <span>{label}</span>
            <code className="mono cut">{command}</code>
            <Copy text={command} />
          </li>
        ))}
      </ol>
    </article>
  )
}

function useSeen(done: ReadonlySet<string>): Step[] {
  const events = useEvents()
  const { data: connections } = useConnections()
  // A login event does not tell whether a provider was used.
  const { data: flows } = useFlows(!done.has('login'))
  const has = (kind: string) => events.some((event) => event.kind === kind)
  return [
    ...(has('document.created') ? (['create'] as const) : []),
    ...(has('connection.subscribed') || connections?.some(({ subscriptions }) => subscriptions.length > 0)
      ? (['listen'] as const)
      : []),
    ...(flows?.some(({ outcome }) => outcome === 'succeeded') ? (['login'] as const) : []),
  ]
}
