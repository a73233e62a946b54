/** Reads headers that make a request conditional, repeatable or ask for a minimal answer. Contract 3.8 and 3.9. */
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { canonicalJson, type Json } from '../../../client/protocol/model/json.js'
import type { Dialect } from '../../../client/protocol/wire/axes.js'
import { formatDialect } from '../../../client/protocol/wire/dialects.js'
import type { Context } from '../../core/context.js'
import type { VersionGuard } from '../../core/documents/door.js'
import type { IdempotencyKey } from '../../core/documents/idempotency.js'
import { openPauses } from '../../core/pauses.js'

/**
 * Reads the versions in `if-match`. An unknown tag matches no version, so that a guard that we can't parse refuses the write.
 * Our choice: ignores `W/`, because compressing proxies add it.
 */
export function readGuard(header: string | undefined): VersionGuard {
  if (header === undefined || header.trim() === '*') return 'any'
  return header.split(',').flatMap((tag) => {
    const [, version] = /^\s*(?:W\/)?"([1-9]\d{0,9})"\s*$/.exec(tag) ?? []
    return version === undefined ? [] : [Number(version)]
  })
}

/** Whether the client already has this version, by its `if-none-match`. */
export function hasVersion(header: string | undefined, etag: string | undefined): boolean {
  if (header === undefined || etag === undefined) return false
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}

/** Whether the client asks for an empty answer: `prefer: return=minimal`, RFC 7240. */
export function prefersMinimal(header: string | string[] | undefined): boolean {
  const preferences = [header ?? []].flat().join(',').split(',')
  return preferences.some((preference) => /^\s*return\s*=\s*"?minimal"?\s*(?:;|$)/i.test(preference))
}

const maxKeyLength = 255

/**
 * Reads the idempotency key of a creating request, if it has one. The key is scoped to project, caller, method and path. Query
 * and dialect count as part of the body, because the first answer is repeated byte for byte.
 *
 * @throws {SvcError} `VALIDATION_ERROR` for an empty or over-long key
 */
export async function readIdempotencyKey(
  req: IncomingMessage,
  ctx: Context,
  { body, dialect }: { body: Json; dialect: Dialect },
): Promise<IdempotencyKey | undefined> {
  const scope = readIdempotencyScope(req, ctx)
  if (scope === undefined) return undefined
  const [, query = ''] = (req.url ?? '').split('?', 2)
  return { scope, bodyHash: hash(query, formatDialect(dialect), await hashInSteps(body)) }
}

/**
 * Hashes the scope of the key together with the key.
 *
 * @throws {SvcError} as `readIdempotencyKey` does
 */
export function readIdempotencyScope(req: IncomingMessage, ctx: Context): string | undefined {
  const key = req.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || key === '' || key.length > maxKeyLength) {
    const message = `must have 1 to ${maxKeyLength} characters`
    throw new SvcError('VALIDATION_ERROR', `An idempotency key ${message}.`, [
      { in: 'header', path: ['idempotency-key'], message, type: 'length' },
    ])
  }
  const [path = ''] = (req.url ?? '').split('?', 1)
  // A user with a secret key gets answers that no other caller may see.
  const { id, user, secret } = ctx.caller
  const caller = user && secret ? `secret ${id}` : id
  return hash(ctx.project.id, caller, req.method ?? '', path.replace(/\/$/, ''), key)
}

/** Hashes a value regardless of the order of its keys, a few values per turn of the event loop. */
async function hashInSteps(value: Json): Promise<string> {
  const hashing = createHash('sha256')
  const pauses = openPauses()

  async function add(value: Json, levels: number): Promise<void> {
    const isWhole = levels === 0 || typeof value !== 'object' || value === null
    if (isWhole) {
      const text = canonicalJson(value)
      hashing.update(`${text.length}:`).update(text)
      return pauses.after(text.length + workOfAValue)
    }
    const names = Object.keys(value)
    const members = Array.isArray(value)
      ? value.entries()
      : names.sort().map((name) => [name, value[name] ?? null] as const)
    hashing.update(`${Array.isArray(value) ? 'list' : 'object'} ${names.length}:`)
    for (const [name, member] of members) {
      hashing.update(`${String(name).length}:${name}`)
      await add(member, levels - 1)
    }
  }

  await add(value, levelsInSteps)
  return hashing.digest('hex')
}

/** The depth of a batch's documents, and of the fields within one. */
const levelsInSteps = 3
/** The overhead of a value, as bytes of text. */
const workOfAValue = 256

/** Includes the length of each part, so that different lists never hash the same input. */
function hash(...parts: string[]): string {
  const hashing = createHash('sha256')
  for (const part of parts) hashing.update(`${part.length}:`).update(part)
  return hashing.digest('hex')
}
