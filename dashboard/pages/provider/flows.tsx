/** Shows the last logins request by request. */
import { useState } from 'react'
import { hopKinds, type LoginFlow, type LoginHop } from '../../../client/protocol/model/provider-login.js'
import { useFlows } from '../../frame/counts.js'
import { Query } from '../../live/query.js'
import { clockTime, Time } from '../../parts/time.js'

export function LastFlows() {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const flows = useFlows()
  const toggle = (id: string) =>
    setToggled((before) => {
      const after = new Set(before)
      if (!after.delete(id)) after.add(id)
      return after
    })
  return (
    <>
      <h2 className="section">Last flows</h2>
      <Query query={flows}>
        {(found) =>
          found.length === 0 ? (
            <p className="padded dim">No logins through a provider since the emulator started.</p>
          ) : (
            <ul className="flows">
              {found.map((flow, at) => (
                // The newest flow is open by default.
                <Flow
                  key={flow.id}
                  flow={flow}
                  isOpen={(at === 0) !== toggled.has(flow.id)}
                  toggle={() => toggle(flow.id)}
                />
              ))}
            </ul>
          )
        }
      </Query>
    </>
  )
}

function Flow({ flow, isOpen, toggle }: { flow: LoginFlow; isOpen: boolean; toggle: () => void }) {
  const { at, provider, outcome, hops } = flow
  const account = hops.findLast(({ claims }) => claims !== null)?.claims
  return (
    <li>
      <button type="button" className="row-button" aria-expanded={isOpen} onClick={toggle}>
        <Time at={at} isMachineTime />
        <b>{provider}</b>
        <bdi className="mono dim cut grow">{account?.email ?? account?.sub ?? ''}</bdi>
        <span className="dim">{hops.length} hops</span>
        <Outcome outcome={outcome} />
      </button>
      {isOpen ? (
        <ol className="hops">
          {hops.map((hop, index) => (
            // The index is a stable key, because hops are only appended.
            <Hop key={index} hop={hop} />
          ))}
        </ol>
      ) : null}
    </li>
  )
}

function Outcome({ outcome }: Pick<LoginFlow, 'outcome'>) {
  if (outcome === null) return <span className="tag">not finished</span>
  return <span className={`tag ${outcome === 'succeeded' ? 'good' : 'warn'}`}>{outcome}</span>
}

function Hop({ hop }: { hop: LoginHop }) {
  const { kind, from, to, method, url, at, milliseconds, status, request, answer, claims } = hop
  return (
    <li>
      <div className="hop-line">
        <span className="hop-way">
          {from} <span className="dim">›</span> {to}
        </span>
        <b>{hopKinds[kind]}</b>
        <code className="mono cut" title={`${method} ${url}`}>
          <span className="dim">{method}</span> {url}
        </code>
        <span className={`mono ${status !== null && status < 400 ? 'good' : status === null ? 'dim' : 'bad'}`}>
          {status ?? '–'}
        </span>
        <span className="mono dim hop-time" title={clockTime(at)}>
          {milliseconds === null ? '' : `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`}
        </span>
      </div>
      <div className="hop-parts">
        <Part name="request" values={request} />
        <Part name="answer" values={answer} />
        <Part name="claims" values={claims ?? {}} />
      </div>
    </li>
  )
}

function Part({ name, values }: { name: string; values: LoginHop['request'] }) {
  const pairs = Object.entries(values)
  if (pairs.length === 0) return null
  return (
    <section>
      <h3>{name}</h3>
      <dl>
        {pairs.map(([key, value]) => (
          <div key={key}>
            <dt>
              <bdi>{key}</bdi>
            </dt>
            <dd>
              <bdi className={/^(?:\w+ )?…\(\d+\)$/.test(value) ? 'dim' : ''}>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
