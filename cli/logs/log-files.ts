/** Reads the logs of an emulator. `svc dev` writes the requests, the service the failures. */
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

/** Returns the last entries of the logs, oldest first. */
export function lastEntries(folder: string, names: readonly LogName[], max: number): LogEntry[] {
  const entries = names.flatMap((name) => {
    const file = join(folder, logFiles[name])
    return takeLast(parseEntries(name, textFrom(rotatedFile(file), 0) + textFrom(file, 0)), max)
  })
  return takeLast(inOrder(entries), max)
}

/** Avoids `slice(-max)`, which returns all items for 0. */
function takeLast<Item>(items: readonly Item[], max: number): Item[] {
  return items.slice(Math.max(0, items.length - max))
}

export interface LogReader {
  /** Returns the entries written since the last call, in order. */
  next(): LogEntry[]
}

/** Reads new entries from now on. Reads a rotated file to its end. */
export function followLogs(folder: string, names: readonly LogName[]): LogReader {
  const read = new Map(names.map((name) => [name, fileSize(join(folder, logFiles[name]))]))

  function readNew(name: LogName): LogEntry[] {
    const file = join(folder, logFiles[name])
    const from = read.get(name) ?? 0
    const isRotated = fileSize(file) < from
    const text = isRotated ? textFrom(rotatedFile(file), from) + textFrom(file, 0) : textFrom(file, from)
    // Leaves an incomplete line for the next call.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    const before = isRotated ? fileSize(rotatedFile(file)) - from : 0
    read.set(name, (isRotated ? 0 : from) + Buffer.byteLength(whole) - before)
    return parseEntries(name, whole)
  }

  return { next: () => inOrder(names.flatMap(readNew)) }
}

function parseEntries(name: LogName, text: string): LogEntry[] {
  return text.split('\n').flatMap((line): LogEntry[] => {
    const entry = parseJson(line)
    if (!isObject(entry) || typeof entry.time !== 'string') return []
    return [{ ...entry, type: types[name], time: entry.time }]
  })
}

function inOrder(entries: LogEntry[]): LogEntry[] {
  return entries.sort((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0))
}

function rotatedFile(file: string): string {
  return file.replace(/\.log$/, '.1.log')
}

function fileSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

function textFrom(file: string, offset: number): string {
  try {
    return readFileSync(file).subarray(offset).toString()
  } catch {
    return ''
  }
}
