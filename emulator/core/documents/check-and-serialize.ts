/** Checks the fields of documents against the schema and the limits, and serializes them. */
import type { StoredCollection } from '../../../client/protocol/model/collection.js'
import type { Fields } from '../../../client/protocol/model/document.js'
import { plainError } from '../../../client/protocol/model/error-words.js'
import { type Issue, placed, SvcError } from '../../../client/protocol/model/errors.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'
import { countRules, schemaCheck, schemaDefaults } from '../../../client/protocol/model/schema.js'
import type { NewData } from '../../store/documents.js'
import { listClaims, type UniqueRule } from '../../store/unique-rules.js'
import { openPauses } from '../pauses.js'
import { workOfClaims } from '../unique-values.js'
import type { Edit } from './edit.js'
import { maxValuesIn, requireLight } from './weight.js'

/**
 * Checks the fields of each item and serializes them, a few items per turn of the event loop.
 *
 * @param rules the unique rules of the collection, even on fields that the caller may not see
 * @param findEdit the change that an item makes, of which only the sent fields are checked. Default: checks all fields
 */
export async function checkAndSerialize<Item>(
  { name, schema }: Pick<StoredCollection, 'name' | 'schema'>,
  items: readonly Item[],
  fieldsFor: (item: Item) => Fields,
  rules: readonly UniqueRule[] = [],
  findEdit: (item: Item) => Edit | undefined = () => undefined,
): Promise<{ item: Item; text: Omit<NewData, 'id'> }[]> {
  const texts: { item: Item; text: Omit<NewData, 'id'> }[] = []
  const isOneOfMany = items.length > 1
  const check = schemaCheck(schema)
  const workOfRules = countRules(schema) * workOfARule + workOfClaims(rules)
  const issues: Issue[] = []
  const pauses = openPauses()
  let bytes = 0
  let patternWork = 0
  for (const [at, item] of items.entries()) {
    if (issues.length >= sizes.maxIssues) break
    const fields = indexed(isOneOfMany ? [at] : [], () => fieldsFor(item))
    const { issues: found, work } = check(fields, findEdit(item)?.sends)
    issues.push(...(isOneOfMany ? found.map((issue) => ({ ...issue, path: [at, ...issue.path] })) : found))
    patternWork += work
    if (patternWork > maxPatternWork)
      throw schemaRefuses(name, [...issues.slice(0, sizes.maxIssues - 1), tooMuchToCompare(at)])
    const text = JSON.stringify(fields)
    bytes += bytesInAnswer(text)
    requireAnswerable(bytes)
    const written = { json: text, values: maxValuesIn(fields, text) }
    texts.push({ item, text: rules.length > 0 ? { ...written, claims: listClaims(rules, fields) } : written })
    const pause = pauses.after(text.length + workOfRules + work)
    if (pause) await pause
  }
  if (issues[0]) throw schemaRefuses(name, issues.slice(0, sizes.maxIssues))
  return texts
}

/** Chosen by us: work of the patterns of all documents of a write, half a second at worst. A body of plain text takes less. */
const maxPatternWork = 11_000_000

function tooMuchToCompare(at: number): Issue {
  const message = 'These documents take too long to compare with the patterns of the schema. Send fewer of them'
  return { path: [at], message, type: 'pattern' }
}

/** The cost of checking a document against one field of a schema, in parsed bytes that take as long. */
const workOfARule = 32

export function schemaRefuses(collection: string, issues: readonly Issue[]): SvcError {
  const fields = [...new Set(issues.map(({ path }) => String(path.at(-1))))]
  const reason: Reason = { kind: 'schema', collection, fields }
  return new SvcError('VALIDATION_ERROR', `${issues[0]?.message}.`, issues, { reason })
}

/** Adds the index of the item to the paths of its issues. */
function indexed(place: Issue['path'], read: () => Fields): Fields {
  try {
    return read()
  } catch (error) {
    throw placed(error, (path) => [...place, ...path])
  }
}

/** Returns a function that fills in the defaults of a schema, which can make a document larger than the one sent. */
export function openCompleter({ schema }: Pick<StoredCollection, 'schema'>): (fields: Fields) => Fields {
  const complete = schemaDefaults(schema)
  return (fields) => {
    const whole = complete(fields)
    if (whole !== fields) requireLight(whole)
    return whole
  }
}

/** Returns a function for replaced documents: fills in only the defaults of required fields. Contract 5.2. */
export function openReplaceCompleter(
  { schema }: Pick<StoredCollection, 'schema'>,
  isWhole: boolean,
): (fields: Fields) => Fields {
  if (!isWhole) return (fields) => fields
  return schemaDefaults(Object.fromEntries(Object.entries(schema).filter(([, rule]) => rule.required)))
}

/** Refuses a write whose answer would be too large, since a write returns the documents it wrote. Contract 10.10. */
export function requireAnswerable(bytes: number): void {
  if (bytes <= sizes.maxAnswerBytes) return
  const reason: Reason = { kind: 'limit', limit: 'answer bytes', most: sizes.maxAnswerBytes, actual: bytes }
  throw plainError('RESULT_TOO_LARGE', { reason })
}

export function bytesInAnswer(text: string): number {
  return Buffer.byteLength(text) + maxEnvelopeBytes
}

/** The most bytes around the data of a document: its id, times and collection. */
const maxEnvelopeBytes = 512
