/** Formats recorded requests for the terminal. */
import type { AnswerDifference, RequestRecord, RequestSummary } from '../../client/protocol/control/requests.js'
import { formatBytes } from '../../client/protocol/model/figures.js'
import type { Explanation } from '../../client/snippets/explain.js'
import { onStdout } from '../terminal/colour.js'
import { record, table } from '../terminal/print.js'
import { printable, printableLines } from '../terminal/text-width.js'

/** Formats a request as one line of `svc tail`. */
export function requestLine(request: RequestSummary): string {
  const { at, method, path, status, code, milliseconds } = request
  const time = onStdout.dim(new Date(at).toTimeString().slice(0, 8))
  const head = `${printable(method).padEnd(6)} ${printable(path)}`
  const words = [statusWords(status), ...(code === null ? [] : [printable(code)])].join(' ')
  const tail = onStdout.dim(`${timeWords(milliseconds)}  ${callerWords(request)}  ${printable(request.id)}`)
  return `${time}  ${head}  ${colorForStatus(status)(words)}  ${tail}`
}

export function requestRow(request: RequestSummary) {
  const { id, at, method, path, status, code, milliseconds } = request
  return {
    id,
    at: at.slice(11, 23),
    method,
    path,
    status: [statusWords(status), code ?? ''].join(' ').trim(),
    time: timeWords(milliseconds),
    caller: callerWords(request),
  }
}

function statusWords(status: number | null): string {
  return status === null ? 'none' : String(status)
}

function colorForStatus(status: number | null): (text: string) => string {
  if (status === null || status >= 500) return onStdout.red
  return status >= 400 ? onStdout.yellow : onStdout.green
}

function timeWords(milliseconds: number): string {
  return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`
}

function callerWords({ caller }: Pick<RequestSummary, 'caller'>): string {
  return printable(caller.user ? (caller.user.email ?? caller.user.id) : caller.kind)
}

/** Formats all details of a request. */
export function requestText(request: RequestRecord): string {
  const { request: asked, answer, statements, statementCount } = request
  const sections: [title: string, text: string][] = [
    ['', headText(request)],
    ['timing', record(formatTiming(request))],
    ['request headers', record(asked.headers)],
    ['request body', bodyText(asked.body)],
    ['answer headers', record(answer.headers)],
    ['answer body', bodyText(answer.body)],
    ['statements', statementsText(statements, statementCount)],
  ]
  return sections
    .filter(([, text]) => text !== '')
    .map(([title, text]) => (title === '' ? text : `${onStdout.bold(title)}\n${indented(text)}`))
    .join('\n\n')
}

function headText(request: RequestRecord): string {
  const { id, at, state, method, path, route, project, dialect, status, code, milliseconds, replayOf } = request
  return record({
    request: `${method} ${path}`,
    status: [statusWords(status), code ?? '', state === 'answered' ? '' : state]
      .filter((word) => word !== '')
      .join(' '),
    id,
    at,
    route,
    project,
    dialect,
    caller: callerWords(request),
    address: request.address,
    ...(request.origin === null ? {} : { origin: request.origin }),
    time: timeWords(milliseconds),
    ...(replayOf === null ? {} : { 'replay of': replayOf }),
    ...(request.error ? { error: request.error.message } : {}),
    ...(request.replayable.why === null ? {} : { replay: request.replayable.why }),
  })
}

/** Omits steps that took no time. */
function formatTiming({ timing }: RequestRecord): Record<string, string> {
  const parts = Object.entries(timing).filter(([, milliseconds]) => milliseconds >= 0.05)
  return Object.fromEntries(parts.map(([name, milliseconds]) => [name, `${milliseconds.toFixed(1)} ms`]))
}

function bodyText({ text, bytes, type, isCut, leftOut }: RequestRecord['request']['body']): string {
  if (leftOut === 'empty' || (text === '' && bytes === 0)) return ''
  const size = bytes === null ? '' : formatBytes(bytes)
  if (text === null) return [type, size, `not shown: ${leftOut}`].filter(Boolean).join(', ')
  return isCut ? `${readable(text)}\n… cut at 64 KB of ${size}` : readable(text)
}

/** Pretty-prints JSON. */
function readable(text: string): string {
  try {
    return printableLines(JSON.stringify(JSON.parse(text), null, 2))
  } catch {
    return printableLines(text)
  }
}

function statementsText(statements: RequestRecord['statements'], count: number): string {
  const lines = statements.map(({ text, values, milliseconds, rows }, at) => {
    const given = values === null ? 'values not shown' : values.map((value) => value ?? 'null').join(', ')
    const figures = `${milliseconds.toFixed(1)} ms, ${rows === null ? 'failed' : `${rows} rows`}`
    return `${at}  ${onStdout.dim(figures)}\n${indented(printableLines(text))}${given === '' ? '' : `\n   ${onStdout.dim(printable(given))}`}`
  })
  return [...lines, ...(count > statements.length ? [`and ${count - statements.length} more`] : [])].join('\n')
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ')
}

export function explanationText({ missing, mends }: Explanation): string {
  const ways = mends.map(({ words, command }) => `${printable(words)}:\n  ${onStdout.cyan(printable(command))}`)
  return [printableLines(missing), ...ways].join('\n')
}

/** Longer values are cut. `--json` prints them in full. */
const longestValue = 60

function short(value: string | null): string {
  if (value === null) return ''
  return value.length <= longestValue ? value : `${value.slice(0, longestValue)}…`
}

/** Lists the differences between two responses. Empty if there are none. */
export function differencesText(differences: readonly AnswerDifference[]): string {
  const rows = differences.map(({ part, path, before, after }) => ({
    part: [part, ...path].join('.'),
    before: short(before),
    after: short(after),
  }))
  return rows.length === 0 ? '' : table(rows)
}
