/** Finds stored documents that a changed rule refuses, in one pass over a collection. */
import {
  type FieldRule,
  type Schema,
  type StoredCollection,
  usersWord,
} from '../../../client/protocol/model/collection.js'
import { type Fields, isId } from '../../../client/protocol/model/document.js'
import type { Issue } from '../../../client/protocol/model/errors.js'
import { schemaCheck } from '../../../client/protocol/model/schema.js'
import type { SettingsChange } from '../../../client/protocol/model/settings-changes.js'
import { selectLinked } from '../../store/links.js'
import { selectFieldPage } from '../../store/unique-values.js'
import { type LinkRule, listLinkedIds, listLinkRules, type PlacedId } from '../collections/link-rules.js'
import { workLong } from '../concurrency/long-reads.js'
import type { Context } from '../context.js'
import { openPauses } from '../pauses.js'
import { missingLink } from './links.js'

/** A stored document that a changed rule refuses. */
interface Offender {
  readonly id: string
  /** The start of the value as JSON; null if it is missing. */
  readonly value: string | null
  readonly problem: string
  /** The earlier document with the same value, if values have to be unique. */
  readonly holder: string | null
}

export interface Offenders {
  readonly count: number
  /** The first of them. */
  readonly documents: readonly Offender[]
  /** Types of the issues; `inner` of those within a value. */
  readonly kinds: ReadonlySet<string>
}

/** Chosen by us. Contract 13.2. */
export const maxOffenders = 10
export const maxValueCharacters = 80
/** Work of a check apart from patterns, in the unit of pauses. */
const workPerProbe = 100
/** Ids looked up by one statement. */
const maxLookedUp = 10_000

/** Checks one changed rule, alone. */
interface Probe {
  readonly find: (fields: Fields) => { readonly issue: Issue | undefined; readonly work: number }
  readonly links: readonly LinkRule[]
  readonly field: string
  count: number
  readonly documents: Offender[]
  readonly kinds: Set<string>
}

/** Changes that are about a value of another type. Other options are compared only with values of the type. */
const typeOptions = ['type', 'many']

/** Returns undefined for a change that every stored document fits. */
export function openProbe({ fields: [field], option, isStricter }: SettingsChange, after: Schema, isNew: boolean) {
  const rule = field !== undefined && Object.hasOwn(after, field) ? after[field] : undefined
  if (field === undefined || rule === undefined || !isStricter) return undefined
  const schema: Schema = { [field]: isNew ? rule : isolateOption(rule, option) }
  const check = schemaCheck(schema)
  const isOfType = !isNew && !typeOptions.includes(option)
  const probe: Probe = {
    find(fields) {
      const { issues, work } = check(fields)
      const issue = issues.find(({ path, type }) => !(isOfType && path.length === 1 && type === rule.type))
      return { issue, work }
    },
    links: listLinkRules(schema).filter(({ to }) => to === usersWord || isId(to)),
    ...{ field, count: 0, documents: [], kinds: new Set() },
  }
  return probe
}

/** The rule with nothing but the changed option. */
function isolateOption(rule: FieldRule, option: string): FieldRule {
  if (option === 'required' || option === 'default') {
    const { required = false, default: value } = rule
    return { type: 'any', required, ...(value === undefined ? {} : { default: value }) }
  }
  const { type, many = false } = rule
  const value = rule[option as keyof FieldRule]
  return { type, ...(type === 'link' ? { many } : {}), [option]: value }
}

/** Reads the documents page by page. Others get their turn in between. */
export async function probeDocuments(ctx: Context, { id }: StoredCollection, probes: readonly Probe[]): Promise<void> {
  if (probes.length === 0) return
  const names = [...new Set(probes.map(({ field }) => field))]
  const pauses = openPauses()
  let last: string | undefined
  do {
    const rows = await workLong(ctx, ({ db }) => selectFieldPage(db, id, names, last))
    const unchecked: Linking[] = []
    for (const row of rows) {
      const fields: Fields = JSON.parse(row.fields)
      let done = row.fields.length
      for (const probe of probes) done += probeDocument(probe, row.id, fields, unchecked)
      await pauses.after(done)
    }
    await probeLinks(ctx, unchecked)
    last = rows.at(-1)?.id
  } while (last !== undefined)
}

/** The links of a document, which are looked up for a page together. */
interface Linking {
  readonly probe: Probe
  readonly id: string
  readonly fields: Fields
  readonly links: readonly PlacedId[]
}

/** Returns the work that it took. */
function probeDocument(probe: Probe, id: string, fields: Fields, unchecked: Linking[]): number {
  const { issue, work } = probe.find(fields)
  if (issue) note(probe, { id, fields, issue })
  else if (probe.links.length > 0) unchecked.push({ probe, id, fields, links: listLinkedIds(probe.links, fields) })
  return work + workPerProbe
}

async function probeLinks(ctx: Context, documents: readonly Linking[]): Promise<void> {
  const found = await findLinked(
    ctx,
    documents.flatMap(({ links }) => links),
  )
  for (const { probe, id, fields, links } of documents) {
    const broken = links.find((link) => !found.get(link.to)?.has(link.id))
    if (broken) note(probe, { id, fields, issue: missingLink(broken.path, broken.id) })
  }
}

async function findLinked(ctx: Context, links: readonly PlacedId[]): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const wanted = new Map<string, Set<string>>()
  for (const { to, id } of links) {
    if (isId(id)) wanted.set(to, (wanted.get(to) ?? new Set()).add(id))
  }
  const found = new Map<string, Set<string>>()
  for (const [to, ids] of wanted) found.set(to, new Set(await lookUp(ctx, to, [...ids])))
  return found
}

async function lookUp(ctx: Context, to: string, ids: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (let at = 0; at < ids.length; at += maxLookedUp) {
    const some = ids.slice(at, at + maxLookedUp)
    found.push(...(await workLong(ctx, ({ db, project }) => selectLinked(db, project.id, to, some))))
  }
  return found
}

interface Refused {
  readonly id: string
  readonly fields: Fields
  readonly issue: Issue
}

function note(probe: Probe, { id, fields, issue: { path, type, message } }: Refused): void {
  probe.count++
  probe.kinds.add(path.length === 1 ? type : 'inner')
  if (probe.documents.length >= maxOffenders) return
  const value = Object.hasOwn(fields, probe.field) ? JSON.stringify(fields[probe.field]) : null
  probe.documents.push({ id, value: value?.slice(0, maxValueCharacters) ?? null, problem: message, holder: null })
}
