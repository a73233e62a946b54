/** Checks an archive completely before an import changes anything. */
import type { FileHandle } from 'node:fs/promises'
import type { SvcError } from '../../../client/protocol/model/errors.js'
import { isObject, type Json } from '../../../client/protocol/model/json.js'
import { lastReaderOfOlder } from '../../database/port.js'
import { type PartName, partNames } from '../../store/snapshots/parts.js'
import type { KnownMigrations } from '../../store/snapshots/registry.js'
import {
  type ArchiveHead,
  archiveFormat,
  archiveVersion,
  hashBytes,
  headName,
  invalidSnapshot,
  readEntryName,
  sumsName,
} from './archive.js'
import { readEntry, readEntryBytes, type TarEntry, tarEntries } from './tar.js'

const megabyte = 1024 * 1024
/**
 * Limits for entries that are read whole. An entry of rows ends with the row that takes it over a megabyte, and rows
 * have a few megabytes at most.
 */
const maxBytes = { head: megabyte, rows: 16 * megabyte, sums: 64 * megabyte } as const
/** Limits nesting, because PostgreSQL would fail on deeper JSON. */
const maxDepth = 100

/** Returns the problem with a row of a part, or undefined. */
export type CheckRow = (part: PartName, row: Json) => string | undefined

/** @throws {SvcError} `INVALID_SNAPSHOT` with the reason */
export async function checkArchive(file: FileHandle, known: KnownMigrations, checkRow: CheckRow): Promise<ArchiveHead> {
  const found = new Map<string, string>()
  let head: ArchiveHead | undefined
  let sums: ReadonlyMap<string, string> | undefined
  for await (const entry of readEntries(file)) {
    const { name } = entry
    const meaning = readEntryName(name)
    if (!meaning || found.has(name) || sums) throw invalidSnapshot(`it has an unexpected entry "${name.slice(0, 80)}"`)
    if (!head && meaning.kind !== 'head') throw invalidSnapshot('it does not start with "snapshot.json"')
    if (meaning.kind === 'bytes') {
      found.set(name, await hashBytes(readEntryBytes(file, entry)))
      continue
    }
    if (entry.size > maxBytes[meaning.kind]) throw invalidSnapshot(`"${name}" is too large`)
    const content = await readEntry(file, entry)
    const text = content.toString()
    switch (meaning.kind) {
      case 'sums':
        sums = readSums(text)
        continue
      case 'head':
        head = readHead(text, known)
        break
      case 'rows':
        checkRows(text, meaning.part, checkRow)
    }
    found.set(name, await hashBytes([content]))
  }
  if (!head || !sums) throw invalidSnapshot('it is truncated')
  compareSums(found, sums)
  return head
}

/** @throws {SvcError} `INVALID_SNAPSHOT` for a damaged or missing entry */
function compareSums(found: ReadonlyMap<string, string>, sums: ReadonlyMap<string, string>): void {
  for (const [name, hash] of found) if (sums.get(name) !== hash) throw invalidSnapshot(`"${name}" is damaged`)
  for (const name of sums.keys()) if (!found.has(name)) throw invalidSnapshot(`"${name.slice(0, 80)}" is missing`)
}

async function* readEntries(file: FileHandle): AsyncGenerator<TarEntry> {
  try {
    yield* tarEntries(file)
  } catch (error) {
    throw invalid(error)
  }
}

function invalid(error: unknown): SvcError {
  return invalidSnapshot(error instanceof Error ? error.message : String(error), error)
}

function readHead(text: string, known: KnownMigrations): ArchiveHead {
  const head = parsed(text)
  const isNamed = isObject(head) && head.format === archiveFormat && typeof head.name === 'string'
  if (!isNamed || typeof head.version !== 'number' || typeof head.schema !== 'number') {
    throw invalidSnapshot('it was not made by svc')
  }
  if (!Number.isInteger(head.version) || head.version < 1 || !Number.isInteger(head.schema)) {
    throw invalidSnapshot(`its "${headName}" is incomplete`)
  }
  if (head.version > archiveVersion || head.schema > known.newest) {
    throw invalidSnapshot('it was made by a newer version of svc. Update svc')
  }
  if (head.schema < known.oldest) {
    throw invalidSnapshot(`svc-toolkit ${lastReaderOfOlder} is the last version that reads it`)
  }
  const { branch = null, commit = null, madeAt, missing, columns } = head
  const isWhole =
    isTextOrNull(branch) && isTextOrNull(commit) && isTime(madeAt) && isTexts(missing) && isObject(columns)
  if (!isWhole || !Object.values(columns).every(isTexts)) throw invalidSnapshot(`its "${headName}" is incomplete`)
  return head as Json as ArchiveHead & Json
}

function readSums(text: string): Map<string, string> {
  const lines = text.split('\n').filter((line) => line !== '')
  return new Map(
    lines.map((line) => {
      const [, hash = '', name = ''] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? []
      if (name === '') throw invalidSnapshot(`its "${sumsName}" is damaged`)
      return [name, hash]
    }),
  )
}

function checkRows(text: string, name: string, checkRow: CheckRow): void {
  const part = partNames.find((known) => known === name)
  if (!part) throw invalidSnapshot(`it has rows of an unknown part "${name}"`)
  if (measureDepth(text) > maxDepth) throw invalidSnapshot('a row is nested too deep')
  // Skips documents, because the database checks that they are objects.
  if (part === 'documents') return
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const fault = checkRow(part, parsed(line, `rows of "${part}"`))
    if (fault !== undefined) throw invalidSnapshot(`a row of "${part}" is invalid: ${fault}`)
  }
}

/** Measures the maximum nesting depth of JSON. The result is meaningless for invalid JSON. */
function measureDepth(text: string): number {
  let [depth, deepest] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === 0x22) at = findClosingQuote(text, at)
    else if (char === 0x7b || char === 0x5b) deepest = Math.max(deepest, ++depth)
    else if (char === 0x7d || char === 0x5d) depth--
  }
  return deepest
}

/** Returns the position of the quote that closes a string, or one past the end. */
function findClosingQuote(text: string, from: number): number {
  let at = from + 1
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1
  return at
}

function parsed(text: string, what = `"${headName}"`): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    throw invalidSnapshot(`its ${what} is damaged`)
  }
}

const isTextOrNull = (value: unknown) => value === null || (typeof value === 'string' && value.length <= 255)
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string')
const isTime = (value: unknown) => typeof value === 'string' && !Number.isNaN(Date.parse(value))
