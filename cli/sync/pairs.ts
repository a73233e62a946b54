/** Which document of the emulator is which document of the hosted service, and what it was when both were last the same. */
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../../client/protocol/model/json.js'
import { CliFailure, exits } from '../base/failure.js'
import { claim } from '../files/claim.js'
import { hashOf } from '../files/hash.js'
import { recordsFolder } from '../target/records-folder.js'
import { appendLines, readLines, rewriteLines } from './line-file.js'
import { keepPaired } from './paired-collections.js'

export interface Pair {
  readonly local: string
  readonly remote: string
  /** Of the document, by {@link hashOf}, when both sides were last the same; left out where they never were. */
  readonly hash?: string | undefined
}

/** The pairs of one collection. What is added is on disk before the call returns. */
export interface Pairs {
  readonly byLocal: ReadonlyMap<string, Pair>
  /** Of documents that were deleted on both sides, or deleted here and created again with another id: others may still refer to them. */
  readonly gone: ReadonlyMap<string, Pair>
  /** Dotted names of fields that are substitutes in the documents here, by which no push may overwrite what is there. */
  readonly redacted: ReadonlySet<string>
  /** Whether a pull was carried out, and not pushes alone. */
  readonly isPulled: boolean
  /** Ids that a batch of documents was created for, of which no answer is known, each with the key of {@link Pairs.begin}. */
  readonly pending: ReadonlyMap<string, string>
  /**
   * Before a batch is created for these documents of the other side. Returns a part of its idempotency key: a random one, or,
   * where the outcome of an earlier batch is unknown, the one of that. So a run that goes on repeats the same request, and no
   * other run gets an old answer.
   */
  begin(ids: readonly string[]): string
  add(pairs: readonly Pair[]): void
  remove(pairs: readonly Pair[]): void
  redact(names: readonly string[]): void
  /** After a pull. */
  markPulled(): void
}

/**
 * Locks the pairs of an emulator and a service until this process ends: what two read at the same time, both would create.
 *
 * @throws {CliFailure} `IN_USE` where another pull or push is under way
 */
export function claimPairs(local: string, remote: string): void {
  const folder = join(recordsFolder(), 'pairs')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const message = `Another pull or push between ${local} and ${remote} is under way.`
  claim(join(folder, `${hashOf([remote, local]).slice(0, 32)}.ndjson`), { message, hint: 'Wait for it, or stop it' })
}

/**
 * The pairs of a collection of the emulator and one of a service, by their ids: a collection that was deleted and created again
 * has none.
 *
 * @throws {CliFailure} if the file is damaged
 */
export function openPairs(url: string, ids: { readonly local: string; readonly remote: string }): Pairs {
  const file = join(recordsFolder(), 'pairs', `${hashOf([url, ids.remote, ids.local]).slice(0, 32)}.ndjson`)
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
    else {
      pending.delete(line.local)
      pending.delete(line.remote)
      if (line.isGone) {
        byLocal.delete(line.local)
        gone.set(line.local, line)
      } else {
        const former = byRemote.get(line.remote)
        if (former && former.local !== line.local && byLocal.delete(former.local)) gone.set(former.local, former)
        byLocal.set(line.local, line)
        byRemote.set(line.remote, line)
      }
    }
  }

  function append(lines: readonly Line[]): void {
    if (lines.length === 0) return
    if (lineCount === 0) keepPaired(url, ids)
    if (isToShrink) shrink()
    appendLines(file, lines)
    lines.forEach(take)
  }

  function load(): void {
    // A line that was cut is of a batch whose outcome is asked for again.
    const { values, isCut } = readLines(file)
    for (const value of values) {
      if (!isLine(value)) throw damaged(file)
      take(value)
    }
    isToShrink = isCut || lineCount > 2 * (byLocal.size + gone.size + redacted.size) + 100
  }

  /** Before something is added, and not where pairs are read only: another process may be adding some then. */
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

type Line =
  | (Pair & { readonly isGone?: boolean })
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
  const message = `What earlier pulls and pushes have done cannot be read: "${file}" is damaged.`
  return new CliFailure(
    'BAD_STATE',
    exits.invalid,
    message,
    'Delete it, and name a field that identifies a document: --by',
  )
}
