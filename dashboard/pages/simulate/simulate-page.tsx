/** Injects faults, moves the clock, and changes the plan. */
import { useQueryClient } from '@tanstack/react-query'
import { clockOfProject } from '../../../client/control.js'
import { type FaultPreset, faultKinds, faultPresets } from '../../../client/protocol/model/faults/fault.js'
import { formatEffect, formatScope } from '../../../client/protocol/model/faults/words.js'
import { type RateWindow, rateLimits, tiers } from '../../../client/protocol/model/limits.js'
import { useCommand } from '../../frame/command-line.js'
import { useClock, useFaults, useProject } from '../../frame/counts.js'
import { useAction, useUndo } from '../../frame/undo.js'
import { Query } from '../../live/query.js'
import { Button } from '../../parts/button.js'
import { Page } from '../../parts/layout.js'
import { useSession } from '../../session/context.js'
import type { ProjectRecord } from '../../session/session.js'
import { AddFault } from './add-fault.js'
import { limits, withWindow } from './rate-limit.js'

export function SimulatePage() {
  const { data: faults } = useFaults()
  useCommand(faults?.length ? 'svc faults list' : 'svc faults preset flaky')
  return (
    <Page title="Simulate" facts={faults ? describeCount(faults.length) : ''}>
      <div className="cards">
        <Faults />
        <Clock />
        <Plan />
      </div>
    </Page>
  )
}

function describeCount(faults: number): string {
  if (faults === 0) return 'no faults'
  return faults === 1 ? '1 active fault' : `${faults} active faults`
}

function useRefreshing(key: string): [boolean, (work: () => Promise<unknown>) => void] {
  const queries = useQueryClient()
  const [isBusy, run] = useAction()
  return [
    isBusy,
    (work) =>
      run(async () => {
        await work()
        await queries.invalidateQueries({ queryKey: [key] })
        await queries.invalidateQueries({ queryKey: ['info'] })
      }),
  ]
}

/** Adds faults to this project. A preset replaces its active faults. */
function Faults() {
  const { control, project } = useSession()
  const query = useFaults()
  const [isBusy, run] = useRefreshing('faults')
  return (
    <article className="card wide-card">
      <h2>
        Faults
        <Button disabled={isBusy || !query.data?.length} onClick={() => run(() => control.faults.clear())}>
          Remove all
        </Button>
      </h2>
      <div className="presets">
        {(Object.keys(faultPresets) as FaultPreset[]).map((preset) => (
          <Button
            key={preset}
            disabled={isBusy}
            onClick={() =>
              run(async () => {
                await control.faults.clear({ project: project.id })
                await control.faults.addPreset({ preset, project: project.id })
              })
            }
          >
            {preset}
          </Button>
        ))}
      </div>
      <Query query={query} loading={null}>
        {(faults) => (
          <ul className="faults">
            {faults.map((fault) => (
              <li key={fault.id}>
                <b className="mono warn" title={faultKinds[fault.kind]}>
                  {formatEffect(fault)}
                </b>
                <span className="mono dim grow cut">
                  {[
                    formatScope(fault) || 'every request',
                    fault.project === project.id ? '' : fault.project ? `project ${fault.project}` : 'all projects',
                    fault.preset === null ? '' : `preset ${fault.preset}`,
                  ]
                    .filter((word) => word !== '')
                    .join(' · ')}
                </span>
                <span className="mono dim">
                  {fault.hits} of {fault.seen} hit
                </span>
                <Button disabled={isBusy} onClick={() => run(() => control.faults.remove({ fault: fault.id }))}>
                  Remove
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Query>
      <AddFault isBusy={isBusy} onAdd={(fault) => run(() => control.faults.add({ ...fault, project: project.id }))} />
    </article>
  )
}

const moves = [
  ['+1 min', 60_000],
  ['+1 h', 3_600_000],
  ['+1 day', 86_400_000],
  ['+30 days', 30 * 86_400_000],
] as const

function Clock() {
  const { control, project } = useSession()
  const query = useClock(1_000)
  const { data } = query
  const isOwn = data?.isOwn ?? false
  const clock = isOwn ? clockOfProject(control.clock, project.id) : control.clock
  const [isBusy, run] = useRefreshing('clock')
  return (
    <article className="card">
      <h2>
        Clock
        <Button
          disabled={isBusy || data === undefined || (data.offset === 0 && !isOwn)}
          onClick={() => run(() => clock.reset())}
        >
          Reset
        </Button>
      </h2>
      <Query query={query} loading={<p className="big mono">…</p>}>
        {({ now, offset }) => (
          <>
            <p className="big mono">{new Date(now).toLocaleString()}</p>
            <p className="padded dim">
              {offset === 0 ? 'Real time.' : 'Not the real time.'}
              {isOwn ? ' This project has its own clock until you reset it.' : ''} Tokens, codes, rate limits and mail
              intervals follow this clock.
            </p>
          </>
        )}
      </Query>
      <div className="presets">
        {moves.map(([label, advance]) => (
          <Button key={label} disabled={isBusy} onClick={() => run(() => clock.change({ advance }))}>
            {label}
          </Button>
        ))}
      </div>
      <form
        className="presets"
        onSubmit={(event) => {
          event.preventDefault()
          const typed = String(new FormData(event.currentTarget).get('now'))
          if (typed !== '') run(() => clock.change({ now: new Date(typed).toISOString() }))
        }}
      >
        <input className="input" type="datetime-local" name="now" aria-label="Time" required />
        <Button type="submit" disabled={isBusy}>
          Set
        </Button>
      </form>
    </article>
  )
}

function Plan() {
  const query = useProject()
  return (
    <article className="card">
      <h2>Plan and limits</h2>
      <Query query={query}>{(data) => <Limits data={data} />}</Query>
    </article>
  )
}

function Limits({ data }: { data: ProjectRecord }) {
  const { control, project } = useSession()
  const { notify } = useUndo()
  const queries = useQueryClient()
  const [isBusy, run] = useAction()
  const { tier, rateLimit } = data.settings
  const set = (name: 'tier' | 'rateLimit', next: () => unknown) =>
    run(async () => {
      const before = data.settings[name]
      const write = async (value: unknown) => {
        await control.projects.update({ project: project.id, settings: { [name]: value } })
        await queries.invalidateQueries()
      }
      await write(next())
      notify({ text: `Changed ${name}`, undo: () => write(before) })
    })
  return (
    <>
      <fieldset className="presets" aria-label="Plan">
        {tiers.map((name) => (
          <Button
            key={name}
            look={name === tier ? 'main' : 'plain'}
            disabled={isBusy}
            aria-pressed={name === tier}
            onClick={() => set('tier', () => name)}
          >
            {name}
          </Button>
        ))}
      </fieldset>
      <p className="padded dim">The plan limits files and storage. Choose which request limits apply:</p>
      <div className="presets">
        {(Object.keys(rateLimits) as RateWindow[]).map((window) => (
          <label key={window} className="check">
            <input
              type="checkbox"
              checked={limits(rateLimit, window)}
              disabled={isBusy}
              onChange={({ target: { checked } }) =>
                set('rateLimit', () => withWindow({ rateLimit, tier }, window, checked))
              }
            />{' '}
            per {window}
          </label>
        ))}
      </div>
    </>
  )
}
