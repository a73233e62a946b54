import { Linked, type PopulatedFields, type PopulatedValue } from '../../client/model/document.js'
import { JsonText, setOwn } from '../../client/model/json.js'
import type { Path } from '../../client/model/path.js'
import { selectRecords } from '../store/documents.js'
import { selectUsersById } from '../store/users.js'
import type { Context } from './context.js'
import { isId } from './ids.js'
import { may } from './permissions.js'

/** Paths with the same beginning share a branch: `author` and `author.company` load each author once. */
interface Branches extends Map<string, Branches> {}

type LinkedRecord = Linked['record']

/** Fields on their way to being populated, each document's own copy. */
type Draft = { [field: string]: PopulatedValue }

/** One query brings this many records at most; more take another. */
const mostPerQuery = 1_000

/**
 * Puts linked records in the place of their ids, one query a level. An id that leads nowhere, or where the
 * caller may not read, stays as it is. Contract 4.6.
 */
export async function populate<Holder extends LinkedRecord>(
  ctx: Context,
  records: readonly Holder[],
  paths: readonly Path[],
): Promise<readonly Holder[]> {
  if (paths.length === 0 || records.length === 0) return records
  const drafts = records.map((record) => ({ ...record, data: draftOf(record.data) }))
  await link(
    ctx,
    drafts.map(({ data }) => data),
    branchesOf(paths),
  )
  return drafts
}

async function link(ctx: Context, drafts: readonly Draft[], branches: Branches): Promise<void> {
  for (const [field, deeper] of branches) {
    const holders = drafts.filter((draft) => Object.hasOwn(draft, field))
    const records = await load(
      ctx,
      holders.flatMap((draft) => idsIn(draft[field])),
    )
    const found: Draft[] = []
    const isLast = deeper.size === 0
    const drafted = new Map(
      [...records].map(([id, record]) => {
        const data = isLast ? record.data : draftOf(record.data)
        if (!isLast) found.push(data as Draft)
        return [id, new Linked({ ...record, data })]
      }),
    )
    const nested: Draft[] = []
    for (const draft of holders) {
      const value = draft[field] as PopulatedValue
      if (isPlainObject(value)) nested.push(value)
      else setOwn(draft as never, field, substitute(value, drafted) as never)
    }
    if (!isLast) await link(ctx, [...found, ...nested], deeper)
  }
}

/** Documents first, then users, of whom everybody sees the same. */
async function load(ctx: Context, ids: readonly string[]): Promise<Map<string, LinkedRecord>> {
  const unique = [...new Set(ids)]
  const found = new Map<string, LinkedRecord>()
  for (let at = 0; at < unique.length; at += mostPerQuery) {
    const piece = unique.slice(at, at + mostPerQuery)
    const records = await selectRecords(ctx.db, ctx.project.id, piece)
    for (const { document, permissions } of records) {
      if (may(ctx.caller, { permissions: JSON.parse(permissions) }, 'read')) found.set(document.id, document)
    }
    if (records.length === piece.length) continue
    for (const user of await selectUsersById(ctx.db, ctx.project.id, piece)) found.set(user.id, user)
  }
  return found
}

function substitute(value: PopulatedValue, records: ReadonlyMap<string, Linked>): PopulatedValue {
  if (typeof value === 'string') return records.get(value) ?? value
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'string' ? (records.get(item) ?? item) : item))
  return value
}

function idsIn(value: PopulatedValue | undefined): string[] {
  if (typeof value === 'string') return isId(value) ? [value] : []
  if (Array.isArray(value)) return value.filter((item): item is string => typeof item === 'string' && isId(item))
  return []
}

function branchesOf(paths: readonly Path[]): Branches {
  const root: Branches = new Map()
  for (const path of paths) {
    let branches = root
    for (const segment of path) {
      const deeper: Branches = branches.get(segment) ?? new Map()
      branches.set(segment, deeper)
      branches = deeper
    }
  }
  return root
}

function draftOf(data: JsonText | PopulatedFields): Draft {
  return data instanceof JsonText ? (data.toJSON() as Draft) : { ...data }
}

function isPlainObject(value: PopulatedValue): value is Draft {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Linked)
}
