import { join, relative, resolve } from 'node:path'
import { isLoopbackUrl } from '../../client/protocol/model/loopback.js'
import { calledAs } from '../base/called-as.js'
import { dashboardAddress, dashboardPageUrl } from '../target/dashboard-address.js'
import { type EmulatorInfo, stateFolder } from '../target/emulator-file.js'
import { hashingWords } from '../target/info-rows.js'
import { onStdout } from '../terminal/colour.js'
import { terminalWidth } from '../terminal/print.js'
import { duration } from '../terminal/progress.js'
import { onlyOnTerminal } from '../terminal/secrets.js'
import { shellWord } from '../terminal/shell-word.js'
import type { Demo } from './demo.js'

export interface BoxDetails {
  readonly seconds: number
  /** What keeps the data, in words. */
  readonly data: string
  /** What hashes passwords. */
  readonly hashLibrary: string
  /** Whether the data outlive it. */
  readonly isKept: boolean
  /** The emulator of the folder that it runs beside, which commands there speak to. */
  readonly other: EmulatorInfo | undefined
  /** Where it says that it runs. */
  readonly folder: string
  readonly secretKey: string | undefined
  readonly isOpenToOthers: boolean
  /** Where others reach it through a tunnel. */
  readonly publicUrl: string | undefined
  readonly demo: Demo | undefined
  /** The command that runs beside it, which the keys of the terminal belong to. */
  readonly app: readonly string[]
}

/** What `svc dev` shows once it answers. Its lines have no frame at the sides: they are there to be copied. */
export function box(info: EmulatorInfo, details: BoxDetails): string {
  const width = Math.min(terminalWidth(), 78)
  const svc = calledAs()
  const entries: [string, readonly string[]][] = [
    [
      'API',
      [info.url, ...(details.publicUrl === undefined ? [] : [details.publicUrl])].map((url) => onStdout.cyan(url)),
    ],
    ['Page', [onlyOnTerminal(onStdout.cyan(dashboardAddress(info)), pageElsewhere(info, details))]],
    ['Key', [info.apiKey]],
    ...(details.secretKey
      ? [
          ['Secret', [onlyOnTerminal(`${details.secretKey}  ${onStdout.dim('shown once')}`, secretElsewhere())]] as [
            string,
            string[],
          ],
        ]
      : []),
    ['Data', [details.data]],
    ['Hashes', [hashingWords(details.hashLibrary)]],
    ['.env', [`SVC_URL=${info.url}`, `SVC_API_KEY=${info.apiKey}`]],
    ['Try', [...hereToo(info, details), ...(details.demo?.toTry ?? firstSteps).map((words) => `${svc} ${words}`)]],
  ]
  const lines = entries.flatMap(([title, values], at) => [
    ...(at > 0 && values.length > 1 ? [''] : []),
    ...values.map((value, line) => `  ${onStdout.bold((line === 0 ? title : '').padEnd(6))}  ${value}`),
  ])
  const warning = details.isOpenToOthers
    ? ['', `  ${onStdout.yellow('Other machines can reach it. Anyone with the key can read and change everything.')}`]
    : []
  const title = `svc ${info.version} is ready in ${duration(details.seconds)}`
  return ['', rule(title, width), '', ...lines, ...warning, '', rule(lastWords(details), width), ''].join('\n')
}

/** The control token opens everything, so it stays in its file. */
function pageElsewhere(info: EmulatorInfo, { folder }: BoxDetails): string {
  return `${dashboardPageUrl(info)}  control token: in ${nearby(join(folder, 'emulator.json'))}`
}

function secretElsewhere(): string {
  return `not shown here; create one: ${calledAs()} project key --secret`
}

function lastWords({ app: [command], isKept }: BoxDetails): string {
  if (command !== undefined) return `${command} runs beside it; they end together`
  // What `hotkeys.ts` listens to, which is loaded after this is shown.
  if (process.stdin.isTTY) return 't shows events, n creates a document, l logs in, ? all keys, Ctrl-C stops'
  return isKept ? 'Ctrl-C stops it; what was answered is kept' : 'Ctrl-C stops it; nothing is kept'
}

const firstSteps = ['collections create posts', 'docs create posts title=Hello views:=1', 'docs list posts']

/** Commands find the emulator of the folder they are in; another one has to be named. */
function hereToo({ url, apiKey }: EmulatorInfo, { folder, other }: BoxDetails): string[] {
  if (other) return [`export SVC_URL=${url} SVC_API_KEY=${apiKey}`]
  return dataWords(folder) === '' ? [] : [`eval "$(${calledAs()} status${dataWords(folder)} --env)"`]
}

/** What has to be said for a command to find this state folder: nothing where it is the usual one. */
export function dataWords(folder: string): string {
  return folder === resolve(stateFolder) ? '' : ` --data ${shellWord(nearby(folder))}`
}

function rule(words: string, width: number): string {
  const finite = Number.isFinite(width) ? width : 78
  return `${onStdout.dim('──')} ${onStdout.bold(words)} ${onStdout.dim('─'.repeat(Math.max(2, finite - words.length - 4)))}`
}

/** A folder as somebody in this one would write it. */
export function nearby(folder: string): string {
  const path = relative(process.cwd(), folder)
  return path.startsWith('..') ? folder : path || '.'
}

export function isOpenToOthers(host: string | undefined): boolean {
  return host !== undefined && !isLoopbackUrl(`http://${host.includes(':') ? `[${host}]` : host}`)
}
