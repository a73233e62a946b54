/** Prints the overview of bare `svc` and `svc --help` from the manifest, without loading the command framework. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { wrapWords } from '../terminal/prose.js'

interface Manifest {
  readonly commands: {
    readonly [id: string]: { readonly id: string; readonly summary?: string; readonly hidden?: boolean }
  }
}
interface Settings {
  readonly topics: { readonly [topic: string]: { readonly description: string } }
}

/** Groups commands by topic, with single commands first. */
export function overview(root: string): string {
  const { topics } = readJson<Settings>(join(root, '.oclifrc.json'))
  const { commands } = readJson<Manifest>(join(root, 'oclif.manifest.json'))
  const { version, description } = readJson<{ version: string; description: string }>(join(root, 'package.json'))
  const visible = Object.values(commands).filter(({ hidden }) => !hidden)
  const single = visible.filter(({ id }) => !id.includes(':')).map(({ id, summary = '' }) => [id, summary] as const)
  const grouped = Object.entries(topics).map(([topic, { description }]) => {
    const verbs = visible
      .filter(({ id }) => id.slice(0, id.lastIndexOf(':')) === topic)
      .map(({ id }) => id.slice(topic.length + 1))
    return [`${topic.replaceAll(':', ' ')} …`, `${description} (${verbs.join(', ')})`] as const
  })
  const bold = (text: string) => (isColoured() ? `\u001b[1m${text}\u001b[22m` : text)
  return [
    wrapWords(description, process.stdout.columns || 100),
    '',
    bold('USAGE'),
    '  $ svc <command> [arguments] [flags]',
    '',
    bold('START HERE'),
    ...list([
      ['svc dev --demo', 'start the emulator with something to look at'],
      ['svc docs list posts', 'in another terminal: see what is there'],
    ]),
    '',
    bold('COMMANDS'),
    ...list([...single].sort(byPlace)),
    '',
    bold('TOPICS'),
    ...list(grouped),
    '',
    `Every command has --help and --json; svc autocomplete completes them. svc ${version}`,
    '',
  ].join('\n')
}

const places = [
  'dev',
  'exec',
  'status',
  'stop',
  'wait',
  'open',
  'logs',
  'doctor',
  'init',
  'seed',
  'api',
  'whoami',
  'config',
]

function byPlace([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return placeOf(one) - placeOf(other) || one.localeCompare(other)
}

function placeOf(id: string): number {
  const at = places.indexOf(id)
  return at === -1 ? places.length : at
}

function list(entries: readonly (readonly [string, string])[]): string[] {
  const widest = Math.max(0, ...entries.map(([name]) => name.length))
  const room = (process.stdout.columns || 100) - widest - 4
  return entries.map(([name, words]) => `  ${name.padEnd(widest)}  ${wrapWords(words, room, widest + 4)}`.trimEnd())
}

function isColoured(): boolean {
  const { NO_COLOR, FORCE_COLOR } = process.env
  if (FORCE_COLOR) return FORCE_COLOR !== '0'
  return process.stdout.isTTY === true && !NO_COLOR
}

function readJson<Content>(file: string): Content {
  return JSON.parse(readFileSync(file, 'utf8'))
}
