/** Writes down what a run is about to make, before it makes it, so that `svc parity clean` finds it after a crash. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../../client/protocol/model/json.js'
import { appendLines, readLines, rewriteLines } from '../sync/line-file.js'
import { stateFolderHere } from '../target/emulator-file.js'

/** `project` is the throw-away project at the emulator. The other kinds are at the service. */
const kinds = ['project', 'collection', 'user', 'file'] as const
export type Kind = (typeof kinds)[number]

export interface Entry {
  readonly kind: Kind
  readonly name: string
}

export interface Journal {
  readonly run: string
  readonly folder: string
  /** Saves an entry before the thing is made. */
  add(entry: Entry): void
  /** Removes an entry after the thing is gone. */
  done(entry: Entry): void
  open(): readonly Entry[]
  close(): void
}

const fileName = 'journal.ndjson'
const runForm = /^[a-z0-9]{6,20}$/

export function runsFolder(): string {
  return join(stateFolderHere(undefined), 'parity')
}

/** Names sort by time. */
export function newRun(now: Date): string {
  return (
    now.getTime().toString(36) +
    Math.floor(Math.random() * 46_656)
      .toString(36)
      .padStart(3, '0')
  )
}

export function isRun(name: string): boolean {
  return runForm.test(name)
}

export function openJournal(run: string): Journal {
  const folder = join(runsFolder(), run)
  const file = join(folder, fileName)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const entries = new Map(readJournal(file).map((entry) => [journalKey(entry), entry]))
  return {
    run,
    folder,
    add(entry) {
      appendLines(file, [entry])
      entries.set(journalKey(entry), entry)
    },
    done(entry) {
      if (!entries.delete(journalKey(entry))) return
      appendLines(file, [{ ...entry, isGone: true }])
    },
    open: () => [...entries.values()],
    close() {
      if (entries.size === 0) rmSync(file, { force: true })
      else rewriteLines(file, [...entries.values()])
    },
  }
}

/** Lists earlier runs that left something behind. */
export function unfinishedRuns(): string[] {
  const folder = runsFolder()
  if (!existsSync(folder)) return []
  return readdirSync(folder).filter((name) => isRun(name) && existsSync(join(folder, name, fileName)))
}

function readJournal(file: string): Entry[] {
  const left = new Map<string, Entry>()
  for (const value of readLines(file).values) {
    const entry = readEntry(value)
    if (!entry) continue
    if (entry.isGone) left.delete(journalKey(entry))
    else left.set(journalKey(entry), { kind: entry.kind, name: entry.name })
  }
  return [...left.values()]
}

function readEntry(value: unknown): (Entry & { readonly isGone: boolean }) | undefined {
  if (!isObject(value)) return undefined
  const { name, isGone } = value
  const kind = kinds.find((one) => one === value.kind)
  return kind && typeof name === 'string' ? { kind, name, isGone: isGone === true } : undefined
}

function journalKey({ kind, name }: Entry): string {
  return `${kind} ${name}`
}
