/** Remembers which document of the emulator is which document of the service, with its hash at the last sync. */
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../../client/protocol/model/json.js'
import { CliFailure, exits } from '../base/failure.js'
import { claim } from '../files/claim.js'
import { hashJson } from '../files/hash.js'
import { recordsFolder } from '../target/records-folder.js'
import { appendLines, readLines, rewriteLines } from './line-file.js'
import { keepPaired } from './paired-collections.js'

export interface Pair {
  readonly local: string
  readonly remote: string
  /** The document's hash when both sides were last equal. */
  readonly hash?: string | undefined
}

/** The pairs of one collection. Every change is on disk before the call returns. */
export interface Pairs {
  readonly byLocal: ReadonlyMap<string, Pair>
  /** Pairs of deleted documents, which others may still link to. */
  readonly gone: ReadonlyMap<string, Pair>
  /** Dotted names of fields with substitutes in the emulator, which a push must not write. */
  readonly redacted: ReadonlySet<string>
  /** Tells whether the collection was ever pulled. */
  readonly isPulled: boolean
  /** Ids in batches whose outcome is unknown, each with the key that {@link Pairs.begin} returned. */
  readonly pending: ReadonlyMap<string, string>
  /**
   * Call before a batch is created. Returns part of its idempotency key: random, or that of an earlier batch with an unknown
   * outcome. A run that continues repeats the same request, and other runs never receive an old answer.
   */
  begin(ids: readonly string[]): string
  add(pairs: readonly Pair[]): void
  remove(pairs: readonly Pair[]): void
  redact(names: readonly string[]): void
  markPulled(): void
}

/**
 * Locks the pairs of an emulator and a service until this process ends, so that two runs cannot create the same documents.
 *
 * @throws {CliFailure} `IN_USE` while another pull or push runs
 */
export function claimPairs(local: string, remote: string): void {
  const folder = join(recordsFolder(), 'pairs')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const message = `Another pull or push between ${local} and ${remote} is running.`
  claim(join(folder, `${hashJson([remote, local]).slice(0, 32)}.ndjson`), {
    message,
    hint: 'Wait until it ends, or stop it',
  })
}

/**
 * Opens the pairs of two collections by their ids, so a collection that was deleted and created again starts without any.
 *
 * @throws {CliFailure} if the file is damaged
 */
export function openPairs(url: string, ids: { readonly local: string; readonly remote: string }): Pairs {
  const file = join(recordsFolder(), 'pairs', `${hashJson([url, ids.remote, ids.local]).slice(0, 32)}.ndjson`)
  const byLocal = new Map<string, Pair>()
  const gone = new Map<string, Pair>()
  const byRemote = new Map<string, Pair>()
  const redacted = new Set<string>()
  const pending = new Map<string, string>()
  let lineCount = 0
  let isPulled = false
  let isToShrink = false

  function take(line: Line): void {
    lineCount++
    if ('redacted' in line) redacted.add(line.redacted)
    else if ('pulled' in line) isPulled = true
    else if ('pending' in line) for (const id of line.pending) pending.set(id, line.key ?? '')
    else takePair(line)
  }

  function takePair(pair: PairLine): void {
    pending.delete(pair.local)
    pending.delete(pair.remote)
    if (pair.isGone) {
      byLocal.delete(pair.local)
      gone.set(pair.local, pair)
      return
    }
    const former = byRemote.get(pair.remote)
    if (former && former.local !== pair.local && byLocal.delete(former.local)) gone.set(former.local, former)
    byLocal.set(pair.local, pair)
    byRemote.set(pair.remote, pair)
  }

  function append(lines: readonly Line[]): void {
    if (lines.length === 0) return
    if (lineCount === 0) keepPaired(url, ids)
    if (isToShrink) shrink()
    appendLines(file, lines)
    lines.forEach(take)
  }

  function load(): void {
    // A cut line belongs to a batch whose outcome the next run asks for again.
    const { values, isCut } = readLines(file)
    for (const value of values) {
      if (!isLine(value)) throw damaged(file)
      take(value)
    }
    isToShrink = isCut || lineCount > 2 * (byLocal.size + gone.size + redacted.size) + 100
  }

  /** Compacts the file. Only a writer may do this, since another process may be appending while this one reads. */
  function shrink(): void {
    isToShrink = false
    const lines: Line[] = [
      ...[...redacted].map((one) => ({ redacted: one })),
      ...(isPulled ? [{ pulled: true } as const] : []),
      ...[...new Set(pending.values())].map((key) => ({ pending: idsWith(key), key })),
      ...[...gone.values()].map((pair) => ({ ...pair, isGone: true })),
      ...byLocal.values(),
    ]
    rewriteLines(file, lines)
  }

  function idsWith(key: string): string[] {
    return [...pending].flatMap(([id, one]) => (one === key ? [id] : []))
  }

  load()
  return {
    byLocal,
    gone,
    pending,
    redacted,
    get isPulled() {
      return isPulled
    },
    begin(ids) {
      const key = ids.map((id) => pending.get(id)).find(Boolean) ?? randomUUID()
      append([{ pending: ids, key }])
      return key
    },
    add: append,
    remove: (pairs) => append(pairs.map((pair) => ({ ...pair, isGone: true }))),
    redact: (names) => append(names.filter((one) => !redacted.has(one)).map((one) => ({ redacted: one }))),
    markPulled: () => append(isPulled ? [] : [{ pulled: true }]),
  }
}

type PairLine = Pair & { readonly isGone?: boolean }

type Line =
  | PairLine
  | { readonly redacted: string }
  | { readonly pulled: true }
  | { readonly pending: readonly string[]; readonly key?: string }

function isLine(value: unknown): value is Line {
  if (!isObject(value)) return false
  return (
    typeof value.redacted === 'string' ||
    value.pulled === true ||
    Array.isArray(value.pending) ||
    (typeof value.local === 'string' && typeof value.remote === 'string')
  )
}

function damaged(file: string): CliFailure {
  const message = `The record of earlier pulls and pushes is damaged: "${file}".`
  return new CliFailure('BAD_STATE', exits.invalid, message, 'Delete it, and match documents by a field: --by slug')
}
