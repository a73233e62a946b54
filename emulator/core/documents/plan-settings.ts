/** Tells what a change of a collection's settings would do to its documents, before it is saved. Contract 13.2. */
import type { FieldRule, Schema, StoredCollection } from '../../../client/protocol/model/collection.js'
import { type Issue, SvcError } from '../../../client/protocol/model/errors.js'
import {
  type DocumentSettings,
  findSettingsChanges,
  type SettingsChange,
} from '../../../client/protocol/model/settings-changes.js'
import { hasType } from '../../../client/protocol/model/value-check.js'
import { ownField, ownName } from '../../../client/protocol/model/where.js'
import { selectCollection, selectCount } from '../../store/collections.js'
import { selectDuplicates } from '../../store/unique-values.js'
import { noSuchCollection } from '../access/missing.js'
import { mergeSettings } from '../collections/collections.js'
import { nameTargets, resolveTargets } from '../collections/link-targets.js'
import { requireFieldSettings, requireSchema, requireSchemaSize } from '../collections/schemas.js'
import { workLong } from '../concurrency/long-reads.js'
import type { Backend, Context } from '../context.js'
import { callerAsOwner } from '../identity.js'
import { requireProject } from '../projects/require-project.js'
import { requireRuleCount } from '../unique-values.js'
import { unitFor } from '../unit-of-work.js'
import { maxOffenders, maxValueCharacters, type Offenders, openProbe, probeDocuments } from './probe-documents.js'

interface PlannedChange extends Omit<SettingsChange, 'isStricter'>, Omit<Offenders, 'kinds'> {
  /** Blocked: cannot be saved. Breaks: some stored documents break it from then on. */
  readonly effect: 'blocked' | 'breaks' | 'fits'
  /** The reason why it is blocked, apart from stored documents. */
  readonly problem: string | null
  /** Words of the command that repairs the documents. */
  readonly repair: readonly string[] | null
}

interface Plan {
  readonly collection: string
  readonly documentCount: number
  readonly changes: readonly PlannedChange[]
}

/**
 * Writes nothing. A write a moment later may change the answer.
 *
 * @throws {SvcError} `NOT_FOUND`, and `VALIDATION_ERROR` for more fields or unique rules than a collection can have
 */
export async function planSettings(
  backend: Backend,
  place: { readonly project: string; readonly collection: string },
  sent: Partial<DocumentSettings>,
): Promise<Plan> {
  const project = await requireProject(backend, place.project)
  const stored = await selectCollection(backend.db, project.id, place.collection)
  if (!stored) throw noSuchCollection(place.collection)
  const ctx: Context = { project, caller: callerAsOwner(project.id), ...unitFor(backend) }
  const { after, issues } = await findContradictions(ctx, stored, sent)
  const [before, named] = [await nameTargets(ctx, stored.schema), await nameTargets(ctx, after.schema)]
  const changes = findSettingsChanges({ ...stored, schema: before }, { ...after, schema: named })
  const blocked = placeIssues(changes, issues, after)
  const open = changes.filter((change) => !blocked.has(change))
  const found = await findOffenders(ctx, open, stored, after)
  return {
    collection: stored.name,
    documentCount: await selectCount(backend.db, stored.id),
    changes: [...new Set([...changes, ...blocked.keys()])].map((change) => {
      const issue = blocked.get(change)
      return issue ? toBlocked(change, issue) : toPlanned(change, after, found.get(change))
    }),
  }
}

/** Collects what a save would refuse, instead of the first error. */
async function findContradictions(
  ctx: Context,
  stored: StoredCollection,
  sent: Partial<DocumentSettings>,
): Promise<{ after: StoredCollection; issues: readonly Issue[] }> {
  const asked = mergeSettings(stored, sent)
  requireSchemaSize(asked.schema, stored.schema)
  requireRuleCount(asked)
  let schema = asked.schema
  const resolve = async () => {
    schema = await resolveTargets(ctx, asked, asked.schema, stored.schema)
  }
  const issues = [
    ...(await collectIssues(() => requireSchema(sent.schema ?? {}))),
    ...(await collectIssues(() => requireFieldSettings(asked, sent))),
    ...(await collectIssues(resolve)),
  ]
  return { after: { ...asked, schema }, issues }
}

async function collectIssues(check: () => void | Promise<void>): Promise<readonly Issue[]> {
  try {
    await check()
    return []
  } catch (error) {
    if (error instanceof SvcError && error.code === 'VALIDATION_ERROR') return error.issues
    throw error
  }
}

/** Finds the change behind each issue. An issue with a part that stays as it is becomes a change of its own. */
function placeIssues(
  changes: readonly SettingsChange[],
  issues: readonly Issue[],
  after: StoredCollection,
): ReadonlyMap<SettingsChange, Issue> {
  const placed = new Map<SettingsChange, Issue>()
  for (const issue of issues) {
    const { fields, option } = findPlace(issue, after)
    const near = [...changes, ...placed.keys()].filter((change) => change.fields.join('\0') === fields.join('\0'))
    const exact = near.find((change) => change.option === option)
    const change = exact ?? near[0] ?? { fields, option, text: option, isStricter: true }
    if (!placed.has(change)) placed.set(change, issue)
  }
  return placed
}

function findPlace({ path: [setting, name, option] }: Issue, { unique = [] }: StoredCollection) {
  if (setting === 'schema') return { fields: [String(name)], option: String(option ?? 'type') }
  if (setting === 'unique') return { fields: unique[Number(name)] ?? [], option: 'unique' }
  return { fields: [], option: String(setting) }
}

async function findOffenders(
  ctx: Context,
  changes: readonly SettingsChange[],
  before: StoredCollection,
  after: StoredCollection,
): Promise<ReadonlyMap<SettingsChange, Offenders>> {
  const found = new Map<SettingsChange, Offenders>()
  const probes = []
  for (const change of changes) {
    if (change.option === 'unique') {
      if (change.isStricter) found.set(change, await findDuplicates(ctx, before, change.fields))
      continue
    }
    const isNew = !Object.hasOwn(before.schema, change.fields[0] ?? '')
    const probe = openProbe(change, after.schema, isNew)
    if (probe) probes.push(probe)
    if (probe) found.set(change, probe)
  }
  await probeDocuments(ctx, before, probes)
  return found
}

async function findDuplicates(ctx: Context, { id }: StoredCollection, fields: readonly string[]): Promise<Offenders> {
  const limits = { most: maxOffenders, maxCharacters: maxValueCharacters }
  const rows = await workLong(ctx, ({ db }) => selectDuplicates(db, id, fields, limits))
  const documents = rows.map(({ id, value, holder }) => ({
    ...{ id, value, holder },
    problem: `has the same value as "${holder}"`,
  }))
  return { count: rows[0]?.total ?? 0, documents, kinds: new Set(['unique']) }
}

function toBlocked({ fields, option, text }: SettingsChange, { path, message }: Issue): PlannedChange {
  const problem = `"${path.join('.')}" ${message}`
  return { fields, option, text, effect: 'blocked', problem, count: 0, documents: [], repair: null }
}

const fitting: Offenders = { count: 0, documents: [], kinds: new Set() }

function toPlanned(
  { fields, option, text }: SettingsChange,
  { name, schema }: StoredCollection,
  { count, documents, kinds }: Offenders = fitting,
): PlannedChange {
  const effect = count === 0 ? 'fits' : option === 'unique' ? 'blocked' : 'breaks'
  const repair = count === 0 ? null : findRepair(name, fields, schema, kinds)
  return { fields, option, text, effect, problem: null, count, documents, repair }
}

/** Changes the documents at once if there is one obvious value, and else with a function. */
function findRepair(
  collection: string,
  [field = '']: readonly string[],
  schema: Schema,
  kinds: ReadonlySet<string>,
): readonly string[] {
  const [kind = '', another] = kinds
  const rule = schema[field]
  const words = rule && isPlain(field) && another === undefined ? findUpdate(field, rule, kind) : undefined
  return words ? ['docs', 'update', collection, ...words] : ['docs', 'migrate', collection, 'migration.ts']
}

/** Other names mean something else in a condition, or in the words of a command. */
function isPlain(field: string): boolean {
  return /^[A-Za-z]\w*$/.test(field) && !field.includes('__') && ownField(ownName([field])) === undefined
}

const outside = { min: 'lt', max: 'gt' } as const

function findUpdate(field: string, rule: FieldRule, kind: string): string[] | undefined {
  if (kind === 'missing') return ['--missing', field, `${field}${rule.type === 'string' ? '=' : ':='}value`]
  if (kind !== 'min' && kind !== 'max') return undefined
  const bound = rule[kind]
  if (bound === undefined || !hasType(rule, bound)) return undefined
  return ['--where', `${field}__${outside[kind]}=${bound}`, `${field}:=${bound}`]
}
