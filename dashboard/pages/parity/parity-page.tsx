/** Shows what the runs of `svc parity` found: score, axes, findings, and both exchanges of a finding. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useLocation, useParams } from 'wouter'
import type { ParityFinding, ParityReport } from '../../../client/protocol/control/parity.js'
import { counted } from '../../../client/protocol/model/figures.js'
import { type AxisRow, countByAxis, countCompared, percent } from '../../../client/protocol/model/parity.js'
import { useCommand } from '../../frame/command-line.js'
import { Query } from '../../live/query.js'
import { Page } from '../../parts/layout.js'
import { Empty } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import { useKeys } from '../../parts/use-keys.js'
import { useSession } from '../../session/context.js'
import { FindingPane } from './finding-pane.js'

/** A new run appears by itself. */
const refreshMilliseconds = 5_000

export function ParityPage() {
  const { control } = useSession()
  const { run: named } = useParams<{ run?: string }>()
  const [, go] = useLocation()
  const query = useQuery({
    queryKey: ['parity'],
    queryFn: async () => (await control.parity.list()).runs,
    refetchInterval: refreshMilliseconds,
  })
  const run = named ?? query.data?.[0]?.run
  const report = useQuery({
    queryKey: ['parity', run],
    queryFn: () => control.parity.get({ run: run ?? '' }),
    enabled: run !== undefined,
  })
  const shown = report.data?.report
  useCommand(shown ? describeCommand(shown) : 'svc parity run')
  const runs = query.data ?? []
  return (
    <Page
      title="Parity"
      facts={shown ? <RunFacts report={shown} /> : ''}
      actions={
        runs.length > 1 ? (
          <select aria-label="Run" value={run} onChange={({ target }) => go(`/parity/${target.value}`)}>
            {runs.map(({ run: one, at, score, coverage, url }) => (
              <option key={one} value={one}>
                {`${at.slice(0, 16).replace('T', ' ')} · ${readHost(url)} · ${score === null ? 'no score' : percent(score)} of ${percent(coverage)}`}
              </option>
            ))}
          </select>
        ) : null
      }
    >
      <Query query={query}>
        {(all) =>
          all.length === 0 && named === undefined ? (
            <Empty title="No parity run yet" command="svc parity run --against staging">
              <p>A run sends the same requests to this emulator and to another service, and compares the answers.</p>
            </Empty>
          ) : (
            <Query
              query={report}
              gone={{ what: 'run', wasShown: false, back: 'Newest run', onBack: () => go('/parity') }}
            >
              {(found) => <Report key={found.report.run} report={found.report} lockFile={found.lockFile} />}
            </Query>
          )
        }
      </Query>
    </Page>
  )
}

function readHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}

function describeCommand({ from, url }: ParityReport): string {
  const [, profile] = /^profile (\S+)$/.exec(from) ?? []
  return `svc parity run ${profile === undefined ? `--url ${url}` : `--against ${profile}`} --from-requests`
}

function RunFacts({ report: { run, at, url, calls, left } }: { report: ParityReport }) {
  const users = left.filter((name) => name.startsWith('user ')).length
  const others = left.length - users
  return (
    <>
      run <span className="mono">{run}</span> against {readHost(url)} · <Time at={at} /> · {counted(calls, 'call')}
      {others > 0 ? ` · ${counted(others, 'thing')} left behind` : ' · cleaned up'}
      {users > 0 ? `, ${counted(users, 'user')} stay` : ''}
    </>
  )
}

function Report({ report, lockFile }: { report: ParityReport; lockFile: string }) {
  const [axis, setAxis] = useState<string>()
  const [chosen, setChosen] = useState<string>()
  const isShown = (one: ParityFinding) => axis === undefined || one.axis === axis
  const open = report.findings.filter((one) => one.accepted === null && isShown(one))
  const accepted = report.findings.filter((one) => one.accepted !== null && isShown(one))
  const all = [...open, ...accepted]
  const finding = all.find(({ id }) => id === chosen) ?? all[0]
  const move = (step: number) => {
    const next = all[all.findIndex(({ id }) => id === finding?.id) + step]
    if (!next) return
    setChosen(next.id)
    document.getElementById(`finding-${next.id}`)?.scrollIntoView({ block: 'nearest' })
  }
  useKeys({ j: () => move(1), k: () => move(-1), arrowdown: () => move(1), arrowup: () => move(-1) })
  const list = (findings: readonly ParityFinding[]) =>
    findings.map((one) => (
      <FindingRow key={one.id} finding={one} report={report} isOn={one.id === finding?.id} onOpen={setChosen} />
    ))
  return (
    <div className="parity">
      <Figures report={report} />
      <Axes rows={countByAxis(report.cases)} axis={axis} onAxis={setAxis} />
      <section className="findings" aria-label="Findings">
        <h2>
          Findings <small>{axis === undefined ? 'worst first' : `${axis} only`}</small>
          <small className="end">fixed by</small>
        </h2>
        {open.length === 0 ? <p className="padded dim">No differences.</p> : list(open)}
        {accepted.length > 0 ? (
          <>
            <h2>
              Accepted <small>with an end</small>
              <small className="end mono">{accepted.length}</small>
            </h2>
            {list(accepted)}
          </>
        ) : null}
      </section>
      {finding ? <FindingPane key={finding.id} finding={finding} report={report} lockFile={lockFile} /> : null}
    </div>
  )
}

/** Score and coverage stand side by side, because one without the other misleads. */
function Figures({ report: { score, coverage, cases, findings, requests, stopped } }: { report: ParityReport }) {
  const { same, compared } = countCompared(cases)
  const open = findings.filter(({ accepted }) => accepted === null)
  const count = (level: ParityFinding['level']) => open.filter((one) => one.level === level).length
  const ends = findings.flatMap(({ accepted }) => accepted?.until ?? []).toSorted()
  const tiles: readonly (readonly [figure: string, label: string, text: ReactNode, look?: string])[] = [
    [score === null ? '–' : percent(score), 'score', `${same} of ${counted(compared, 'compared case')} agree`],
    [percent(coverage), 'coverage', `${compared} of ${counted(cases.length, 'case')} could be compared`],
    ...(requests
      ? [[`${requests.tried}`, `of ${counted(requests.all, 'request')}`, 'of your app were tried'] as const]
      : []),
    [`${count('breaks')}`, 'break your app', `${count('minor')} minor · ${counted(count('note'), 'note')}`, 'bad'],
    ...(ends.length > 0 ? [[`${ends.length}`, 'accepted', `the first until ${ends[0]}`] as const] : []),
  ]
  return (
    <ul className="figures" aria-label="Figures">
      {tiles.map(([figure, label, text, look = '']) => (
        <li key={label}>
          <b className={figure === '0' ? '' : look}>{figure}</b> {label}
          <p>{text}</p>
        </li>
      ))}
      {stopped === null ? null : (
        <li className="warn" role="status">
          Stopped early
          <p>{stopped}</p>
        </li>
      )}
    </ul>
  )
}

interface AxesProps {
  readonly rows: readonly AxisRow[]
  readonly axis: string | undefined
  readonly onAxis: (axis: string | undefined) => void
}

function Axes({ rows, axis, onAxis }: AxesProps) {
  const figure = (count: number) => (count === 0 ? '–' : count)
  return (
    <section className="axes" aria-label="Axes">
      <div className="axis head" aria-hidden="true">
        <span>axis</span>
        <span />
        <span>same</span>
        <span>differs</span>
        <span title="not applicable or not tried">n/a</span>
      </div>
      {rows
        .toSorted((one, other) => other.differs - one.differs)
        .map(({ axis: name, same, differs, ...rest }) => {
          const notAsked = rest.notApplicable + rest.notTried
          return (
            <button
              type="button"
              key={name}
              className="axis"
              aria-pressed={name === axis}
              aria-description={`${same} same, ${differs} differ, ${rest.notApplicable} not applicable, ${rest.notTried} not tried`}
              onClick={() => onAxis(name === axis ? undefined : name)}
            >
              <span>{name}</span>
              <span className="meter" aria-hidden="true">
                <i className="good" style={{ flex: same }} />
                <i className="bad" style={{ flex: differs }} />
                <i style={{ flex: notAsked }} />
              </span>
              <span>{figure(same)}</span>
              <span className={differs > 0 ? 'bad' : ''}>{figure(differs)}</span>
              <span>{figure(notAsked)}</span>
            </button>
          )
        })}
    </section>
  )
}

interface FindingRowProps {
  readonly finding: ParityFinding
  readonly report: ParityReport
  readonly isOn: boolean
  readonly onOpen: (id: string) => void
}

function FindingRow({ finding, report, isOn, onOpen }: FindingRowProps) {
  const { id, axis, level, part, accepted, mendedBy } = finding
  return (
    <button type="button" id={`finding-${id}`} className="finding" aria-current={isOn} onClick={() => onOpen(id)}>
      <span className={`level ${level}`}>{level}</span>
      <b className="cut">
        {id} <span className="dim">{part}</span>
      </b>
      <span className="cut">
        {accepted ? `until ${accepted.until} · ${accepted.reason}` : describeUse(finding, report)} ·{' '}
        <span className="mono">{axis}</span>
      </span>
      <em className="tag">{mendedBy === null ? 'app' : 'setting'}</em>
    </button>
  )
}

function describeUse({ uses }: ParityFinding, { requests }: ParityReport): string {
  const count = uses.reduce((sum, { requests: some }) => sum + some, 0)
  return requests && count > 0 ? `${count} of ${counted(requests.all, 'request')}` : 'no request'
}
