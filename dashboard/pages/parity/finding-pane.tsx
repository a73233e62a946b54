/** One finding: what mends it, both exchanges side by side, who uses it, and how to accept it. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { ParityFinding, ParityReport } from '../../../client/protocol/control/parity.js'
import { counted } from '../../../client/protocol/model/figures.js'
import { latestEnd, toDay } from '../../../client/protocol/model/parity.js'
import { useAction, useUndo } from '../../frame/undo.js'
import { Button, Copy } from '../../parts/button.js'
import { useKeys } from '../../parts/use-keys.js'
import { useSession } from '../../session/context.js'

interface FindingPaneProps {
  readonly finding: ParityFinding
  readonly report: ParityReport
  readonly lockFile: string
}

export function FindingPane({ finding, report, lockFile }: FindingPaneProps) {
  const { id, axis, level, part, exchanges, uses, accepted } = finding
  const [here, there] = [toLines(finding.here), toLines(finding.there)]
  return (
    <section className="finding-pane" aria-label="Finding">
      <header>
        <h2>{id}</h2>
        <p className="mono dim">
          <span className={`level ${level}`}>{level}</span> · {axis} · differs in {part} · 2 of 2 tries
        </p>
      </header>
      <div className="finding-body">
        <Advice finding={finding} report={report} />
        <div className="sides">
          <Side name="here" lines={here} others={there} exchanges={exchanges.here} />
          <Side name="service" lines={there} others={here} exchanges={exchanges.there} />
        </div>
        {uses.length > 0 ? (
          <>
            <h3 className="section">
              Used by <small>{counted(uses.length, 'shape')} of your requests</small>
            </h3>
            <ul className="uses mono">
              {uses.map(({ method, path, requests }) => (
                <li key={`${method} ${path}`}>
                  <span>{method}</span>
                  <Link className="link cut grow" title="Show in Requests" href={linkToRequests(method, path)}>
                    {path}
                  </Link>
                  <span>{requests}</span>
                </li>
              ))}
            </ul>
          </>
        ) : null}
        {accepted ? (
          <p className="padded">
            Accepted until {accepted.until}: {accepted.reason}
          </p>
        ) : null}
      </div>
      <Foot finding={finding} report={report} lockFile={lockFile} />
    </section>
  )
}

/** Filters Requests by the part of the path that the requests share. */
function linkToRequests(method: string, path: string): string {
  const [shared = ''] = path.split(/[{?]/, 1)
  return `/requests?${new URLSearchParams({ method, path: shared })}`
}

function Advice({ finding: { mendedBy, change }, report: { advice } }: Omit<FindingPaneProps, 'lockFile'>) {
  if (mendedBy === null || !advice)
    return (
      <div className="advice">
        <b>Change the app</b>
        <p>{change}</p>
      </div>
    )
  const others = advice.mends - 1
  return (
    <div className="advice">
      <b>Let the emulator answer as the service does</b>
      <p>
        <span className="mono">{mendedBy}</span> mends it. The command mends{' '}
        {others === 0 ? 'nothing else' : counted(others, 'other finding')}
        {advice.breaks.length === 0 ? '' : `, and makes ${counted(advice.breaks.length, 'other case')} differ`}.
      </p>
      <p className="mono advice-command">
        <span className="grow">{advice.command}</span> <Copy text={advice.command} label="copy" />
      </p>
    </div>
  )
}

interface SideProps {
  readonly name: string
  readonly lines: readonly string[]
  /** Lines of the other side. */
  readonly others: readonly string[]
  readonly exchanges: ParityFinding['exchanges']['here']
}

function toLines(value: ParityFinding['here']): readonly string[] {
  return (typeof value === 'string' ? value : JSON.stringify(value, null, 2)).split('\n')
}

function Side({ name, lines, others, exchanges }: SideProps) {
  const last = exchanges.at(-1)
  const status = last?.status ?? null
  return (
    <div className="side-of">
      <h3 className="mono">
        {name} <span className={status !== null && status < 400 ? 'good' : 'bad'}>{status ?? 'no answer'}</span>
      </h3>
      <pre className="mono">
        {lines.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines repeat, and the list never changes.
          <span key={at} className={others.includes(line) ? '' : 'differing'}>
            {line}
          </span>
        ))}
      </pre>
      {exchanges.map(({ request, status: one, answer }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same request may be sent twice, and the list never changes.
        <details key={at} open={at === exchanges.length - 1}>
          <summary className="mono cut">
            {one ?? 'no answer'} {request.replace(/^curl -X (\w+) '?https?:\/\/[^/\s']*([^\s']*).*$/s, '$1 $2')}
          </summary>
          <pre className="mono">{request}</pre>
          <pre className="mono">{formatAnswer(answer)}</pre>
        </details>
      ))}
    </div>
  )
}

function formatAnswer(answer: string): string {
  try {
    return JSON.stringify(JSON.parse(answer), null, 2)
  } catch {
    return answer
  }
}

function Foot({ finding, report: { advice }, lockFile }: FindingPaneProps) {
  const { control, project } = useSession()
  const { notify } = useUndo()
  const queries = useQueryClient()
  const [isBusy, run] = useAction()
  const latest = latestEnd(new Date())
  const [until, setUntil] = useState('')
  const [reason, setReason] = useState('')
  const { id, part, mendedBy } = finding
  const canAccept = until !== '' && until <= latest && reason.trim() !== ''
  const accept = () =>
    run(async () => {
      const written = await control.parity.accept({ id, part, reason: reason.trim(), until })
      await queries.invalidateQueries({ queryKey: ['parity'] })
      notify({ text: `Accepted ${id} in ${written.lockFile}` })
    })
  const apply = () =>
    run(async () => {
      if (!advice) return
      const { settings } = await control.projects.get({ project: project.id })
      const set = async (dialect: string) => {
        await control.projects.update({ project: project.id, settings: { dialect } })
        await queries.invalidateQueries()
      }
      await set(advice.dialect)
      notify({ text: `Set the dialect to ${advice.dialect}`, undo: () => set(settings.dialect) })
    })
  const canApply = mendedBy !== null && advice !== null
  useKeys({ a: () => canApply && !isBusy && void apply() })
  return (
    <form
      className="finding-foot"
      onSubmit={(event) => {
        event.preventDefault()
        if (canAccept) void accept()
      }}
    >
      <label>
        Accept until{' '}
        <input
          className="input mono"
          type="date"
          min={toDay(new Date())}
          max={latest}
          value={until}
          onChange={({ target }) => setUntil(target.value)}
        />
      </label>
      <input
        className="input grow"
        aria-label="Reason"
        placeholder="Reason"
        maxLength={500}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
      <Button
        type="submit"
        disabled={!canAccept || isBusy}
        title={canAccept ? `Writes ${lockFile}` : 'Needs a reason and an end within a year.'}
      >
        Accept
      </Button>
      {canApply ? (
        <Button look="main" disabled={isBusy} onClick={apply}>
          Apply <kbd>A</kbd>
        </Button>
      ) : null}
    </form>
  )
}
