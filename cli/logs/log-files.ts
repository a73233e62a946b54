/** What an emulator keeps of what went on: `svc dev` writes the requests, the service its failures. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, type Json, parseJson } from '../../client/protocol/model/json.js'

export const logFiles = { requests: 'requests.log', failures: 'errors.log' } as const
export type LogName = keyof typeof logFiles

export interface LogEntry {
  readonly type: 'request' | 'failure'
  readonly time: string
  readonly [name: string]: Json | undefined
}

const types = { requests: 'request', failures: 'failure' } as const satisfies Record<LogName, LogEntry['type']>

/** The last entries of these logs, the oldest first. */
export function lastEntries(folder: string, names: readonly LogName[], most: number): LogEntry[] {
  const entries = names.flatMap((name) => {
    const file = join(folder, logFiles[name])
    return lastOf(entriesOf(name, textFrom(formerOf(file), 0) + textFrom(file, 0)), most)
  })
  return lastOf(inOrder(entries), most)
}

/** Without `slice(-most)`, which of none takes all. */
function lastOf<Item>(items: readonly Item[], most: number): Item[] {
  return items.slice(Math.max(0, items.length - most))
}

export interface LogReader {
  /** What was written since it was asked last, in order. */
  next(): LogEntry[]
}

/** Reads on from where the logs end now. A file that was put aside is read to its end. */
export function followLogs(folder: string, names: readonly LogName[]): LogReader {
  const read = new Map(names.map((name) => [name, sizeOf(join(folder, logFiles[name]))]))

  function nextOf(name: LogName): LogEntry[] {
    const file = join(folder, logFiles[name])
    const from = read.get(name) ?? 0
    const isAside = sizeOf(file) < from
    const text = isAside ? textFrom(formerOf(file), from) + textFrom(file, 0) : textFrom(file, from)
    // A line that is still being written is left for the next time.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    const before = isAside ? sizeOf(formerOf(file)) - from : 0
    read.set(name, (isAside ? 0 : from) + Buffer.byteLength(whole) - before)
    return entriesOf(name, whole)
  }

  return { next: () => inOrder(names.flatMap(nextOf)) }
}

function entriesOf(name: LogName, text: string): LogEntry[] {
  return text.split('\n').flatMap((line): LogEntry[] => {
    const entry = parseJson(line)
    if (!isObject(entry) || typeof entry.time !== 'string') return []
    return [{ ...entry, type: types[name], time: entry.time }]
  })
}

function inOrder(entries: LogEntry[]): LogEntry[] {
  return entries.sort((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0))
}

function formerOf(file: string): string {
  return file.replace(/\.log$/, '.1.log')
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

function textFrom(file: string, offset: number): string {
  try {
    return readFileSync(file).subarray(offset).toString()
  } catch {
    return ''
  }
}
