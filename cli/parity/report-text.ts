/** The report for the terminal. */
import type { ParityFinding, ParityReport } from '../../client/protocol/control/parity.js'
import { countByAxis, type Level, scoreLine } from '../../client/protocol/model/parity.js'
import { onStdout } from '../terminal/colour.js'
import { counted, table } from '../terminal/print.js'

const colours: { readonly [L in Level]: (text: string) => string } = {
  breaks: onStdout.red,
  minor: onStdout.yellow,
  note: onStdout.dim,
}

export function describeReport(report: ParityReport): string {
  const { cases, findings, facts, advice, left, stopped, calls, requests } = report
  const lines = [
    table(
      countByAxis(cases).map(({ notApplicable, notTried, ...row }) => ({
        ...row,
        'not applicable': notApplicable,
        'not tried': notTried,
      })),
    ),
    '',
    ...findings.flatMap(describeFinding),
    ...facts.map((fact) => onStdout.dim(fact)),
    `${scoreLine(report)} ${counted(calls, 'call')}.`,
    ...(requests ? [`${requests.tried} of ${counted(requests.all, 'request')} of your app were tried.`] : []),
    ...(stopped === null ? [] : [onStdout.yellow(`Stopped early: ${stopped}`)]),
    ...adviceLines(advice, report),
    ...leftLines(left, report.run),
  ]
  return lines.join('\n')
}

function describeFinding(finding: ParityFinding): string[] {
  const { id, level, part, here, there, mendedBy, change, accepted, uses } = finding
  const used = uses.reduce((sum, { requests }) => sum + requests, 0)
  const use = used > 0 ? `  used by ${counted(used, 'request')}` : ''
  const head = `${colours[level](level.padEnd(6))}  ${onStdout.bold(id)}  ${part}${use}`
  const more = accepted
    ? [`        accepted until ${accepted.until}: ${accepted.reason}`]
    : mendedBy !== null
      ? [`        ${mendedBy} mends it.`]
      : [`        ${change}`]
  return [head, `        emulator  ${short(here)}`, `        service   ${short(there)}`, ...more, '']
}

const maxLength = 160

function short(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`
}

function adviceLines(advice: ParityReport['advice'], { run, findings }: ParityReport): string[] {
  if (!advice) return []
  const of = `${advice.mends} of ${counted(findings.length, 'difference')}`
  return [
    `To make the emulator answer like the service (mends ${of}): ${advice.command}`,
    ...(advice.breaks.length === 0 ? [] : [`It makes others differ: ${advice.breaks.join(', ')}`]),
    `Or: svc parity apply ${run}`,
  ]
}

/** Users are many and named alike. */
function leftLines(left: readonly string[], run: string): string[] {
  const users = left.filter((name) => name.startsWith('user '))
  const others = left.filter((name) => !name.startsWith('user '))
  return [
    ...(users.length === 0 ? [] : [`Left behind: ${counted(users.length, 'user')} parity+${run}-…@example.com`]),
    ...(others.length === 0 ? [] : [`Left behind: ${others.join(', ')}. Remove: svc parity clean ${run}`]),
  ]
}
