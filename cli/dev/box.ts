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
  /** Describes where data is saved. */
  readonly data: string
  readonly hashLibrary: string
  /** Whether data survives a restart. */
  readonly isKept: boolean
  /** The folder's main emulator, which commands talk to, if this one runs next to it. */
  readonly other: EmulatorInfo | undefined
  /** The state folder. */
  readonly folder: string
  readonly secretKey: string | undefined
  readonly isOpenToOthers: boolean
  /** The address of the tunnel. */
  readonly publicUrl: string | undefined
  readonly demo: Demo | undefined
  /** The command after `--`, which owns the keyboard. */
  readonly app: readonly string[]
}

/** Formats what `svc dev` prints once it is ready. Lines have no frame at the sides, so they can be copied. */
export function box(info: EmulatorInfo, details: BoxDetails): string {
  const width = Math.min(terminalWidth(), 78)
  const svc = calledAs()
  const entries: [string, readonly string[]][] = [
    [
      'API',
      [info.url, ...(details.publicUrl === undefined ? [] : [details.publicUrl])].map((url) => onStdout.cyan(url)),
    ],
    ['Dashboard', [onlyOnTerminal(onStdout.cyan(dashboardAddress(info)), pageElsewhere(info, details))]],
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
    ...values.map((value, line) => `  ${onStdout.bold((line === 0 ? title : '').padEnd(titleColumns))}  ${value}`),
  ])
  const warning = details.isOpenToOthers
    ? [
        '',
        `  ${onStdout.yellow('Other machines can reach the emulator. Anyone with the key can read and change everything.')}`,
      ]
    : []
  const title = `svc ${info.version} is ready in ${duration(details.seconds)}`
  return ['', rule(title, width), '', ...lines, ...warning, '', rule(lastWords(details), width), ''].join('\n')
}

/** Leaves the control token in its file, because it grants full access. */
function pageElsewhere(info: EmulatorInfo, { folder }: BoxDetails): string {
  return `${dashboardPageUrl(info)}  control token: in ${nearby(join(folder, 'emulator.json'))}`
}

function secretElsewhere(): string {
  return `not shown here; create one: ${calledAs()} project key --secret`
}

const titleColumns = 'Dashboard'.length

function lastWords({ app: [command], isKept }: BoxDetails): string {
  if (command !== undefined) return `${command} runs with it; both stop together`
  // The keys of `hotkeys.ts`, which is loaded after the box is printed.
  if (process.stdin.isTTY) return 't shows events, n creates a document, l logs in, ? lists keys, Ctrl-C stops'
  return isKept ? 'Ctrl-C stops it; your data is saved' : 'Ctrl-C stops it; nothing is saved'
}

const firstSteps = ['collections create posts', 'docs create posts title=Hello views:=1', 'docs list posts']

/** Returns the shell command that points other commands to this emulator, if they do not find it themselves. */
function hereToo({ url, apiKey }: EmulatorInfo, { folder, other }: BoxDetails): string[] {
  if (other) return [`export SVC_URL=${url} SVC_API_KEY=${apiKey}`]
  return dataWords(folder) === '' ? [] : [`eval "$(${calledAs()} status${dataWords(folder)} --env)"`]
}

/** Returns the --data flag for this state folder, or nothing for the default one. */
export function dataWords(folder: string): string {
  return folder === resolve(stateFolder) ? '' : ` --data ${shellWord(nearby(folder))}`
}

function rule(words: string, width: number): string {
  const finite = Number.isFinite(width) ? width : 78
  return `${onStdout.dim('──')} ${onStdout.bold(words)} ${onStdout.dim('─'.repeat(Math.max(2, finite - words.length - 4)))}`
}

/** Formats a folder relative to the working folder. */
export function nearby(folder: string): string {
  const path = relative(process.cwd(), folder)
  return path.startsWith('..') ? folder : path || '.'
}

export function isOpenToOthers(host: string | undefined): boolean {
  return host !== undefined && !isLoopbackUrl(`http://${host.includes(':') ? `[${host}]` : host}`)
}
