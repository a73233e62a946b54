/** Runs one case on one side: fixtures, steps, and what was seen. */
import { generate } from 'otplib'
import { isObject, type Json } from '../../client/protocol/model/json.js'
import { documentFieldsIn, unwrapped } from '../dialects/judges.js'
import { type Answer, lookAt, textIn } from './answers.js'
import { fill, fillJson, type Look, type ParityCase, type Step, usedIn } from './case.js'
import { password } from './cases/accounts.js'
import { many, rows } from './cases/filters.js'
import type { Entry } from './journal.js'
import { type Listener, listen } from './listen.js'
import { Disturbed, type Exchange, type SendOptions, type Side } from './side.js'

/** The answer of one side to a case. */
export interface Observation {
  readonly outcome: 'done' | 'refused' | 'failed'
  readonly status: number
  /** Number of the step that was answered last. */
  readonly step: number
  readonly seen: { readonly [L in Look]?: Json }
  /** Media type of the last answer. */
  readonly type: string | null
}

/** Why a case cannot be asked at a service. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable'
}

/** Fixtures and names of one side. */
export interface Stage {
  readonly side: Side
  readonly run: string
  /** Saves a name before the thing is made, and forgets it once it is gone. Absent at the throw-away project. */
  readonly journal?: { add(entry: Entry): void; done(entry: Entry): void }
  readonly signal: AbortSignal
  readonly fixtures: Map<'rows' | 'many' | 'user' | 'token', string>
  /** Returns a number that no other name of the run has. */
  next(): number
}

export interface RunOptions {
  readonly dialect?: string | undefined
  readonly keep?: Exchange[]
}

const mostAttempts = 8

/** Starts the case again with new names while writes get no clear answer. */
export async function runCase(one: ParityCase, stage: Stage, options: RunOptions = {}): Promise<Observation> {
  const statuses: (number | undefined)[] = []
  for (let attempt = 1; ; attempt++) {
    // A service that always answers so means it.
    const [first] = statuses
    const acceptsFailure =
      attempt === mostAttempts && first !== undefined && first !== 429 && statuses.every((status) => status === first)
    if (options.keep) options.keep.length = 0
    try {
      return await attemptCase(one, stage, { ...options, acceptsFailure })
    } catch (error) {
      if (!(error instanceof Disturbed) || attempt >= mostAttempts) throw error
      statuses.push(error.status)
    }
  }
}

async function attemptCase(
  one: ParityCase,
  stage: Stage,
  options: RunOptions & Pick<SendOptions, 'acceptsFailure'>,
): Promise<Observation> {
  const values = await openValues(one, stage, options)
  const made = journalNames(one, stage, values)
  try {
    return await runSteps(one, stage, { values, options })
  } finally {
    for (const name of made) await removeCollection(stage, name)
  }
}

interface Running {
  readonly values: Map<string, string>
  readonly options: SendOptions
}

async function runSteps(one: ParityCase, stage: Stage, { values, options }: Running): Promise<Observation> {
  let listener: Listener | undefined
  let answer: Answer = { status: 0, body: null, header: () => null }
  let step = 0
  let events = 0
  try {
    for (const given of one.steps) {
      if (step === 1 && one.listen !== undefined) {
        listener = await openListener(one, one.listen, stage, { values, options })
        if (!listener) return { outcome: 'refused', status: 0, step, seen: {}, type: null }
      }
      step++
      answer = await stage.side.send(filled(given, values), { ...options, token: values.get('token') })
      if (isOwnerRefused(given, answer, stage)) throw new NotApplicable('It needs a key that may set permissions.')
      if (answer.status >= 400) break
      events += countEvents(given)
      await bind(given, answer, { values, side: stage.side })
    }
    // The first step only makes the collection.
    const frames = (await listener?.hear(events - 1)) ?? []
    return observe(one, { answer, step, frames })
  } finally {
    listener?.close()
  }
}

function openListener(
  { socket: kind = 'collection', watched }: ParityCase,
  collection: string,
  { side, signal }: Stage,
  { values, options }: Running,
) {
  const { url, key } = side
  return listen({ url, key, collection: fill(collection, values), kind, watched, dialect: options.dialect, signal })
}

function isOwnerRefused({ as }: Step, { status }: Answer, { side }: Stage): boolean {
  return as === 'owner' && side.name === 'there' && [401, 403].includes(status)
}

/** Counts the events that a write should cause. */
function countEvents({ method, body }: Step): number {
  if (method === 'GET') return 0
  const items = isObject(body) ? body.documents : undefined
  return Array.isArray(items) ? items.length : 1
}

function observe(
  { compare, steps }: ParityCase,
  { answer, step, frames }: { answer: Answer; step: number; frames: Parameters<typeof lookAt>[1]['frames'] },
): Observation {
  const { status } = answer
  const outcome = status >= 500 ? 'failed' : status >= 400 ? 'refused' : 'done'
  const isReadable = outcome === 'done' || compare.includes('error')
  const looks = isReadable && step === steps.length ? compare : []
  const seen = Object.fromEntries(looks.map((look) => [look, lookAt(look, { answer, frames })]))
  return { outcome, status, step, seen, type: answer.header('content-type')?.split(';')[0] ?? null }
}

function filled(step: Step, values: ReadonlyMap<string, string>): Step {
  // The name of a file may hold slashes, and is encoded already.
  const encode = ([name, value]: [string, string]) =>
    [name, name === 'file' ? value : encodeURIComponent(value)] as const
  const inPath = new Map([...values].map(encode))
  const { path, body, headers } = step
  return {
    ...step,
    path: fill(path, inPath),
    ...(body === undefined ? {} : { body: fillJson(body, values) }),
    ...(headers === undefined ? {} : { headers: mapHeaders(headers, values) }),
  }
}

function mapHeaders(headers: NonNullable<Step['headers']>, values: ReadonlyMap<string, string>) {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value, values)]))
}

interface Binding {
  readonly values: Map<string, string>
  readonly side: Side
}

async function bind({ bind: name }: Step, { body, header }: Answer, { values, side }: Binding): Promise<void> {
  if (name === undefined) return
  const special: { readonly [name: string]: () => string | null | undefined } = {
    tag: () => header('etag'),
    token: () => tokenIn(body),
    file: () => pathOfFile(body, side),
  }
  const value = special[name] ? special[name]() : (textIn(body, name) ?? textIn(body, 'id'))
  values.set(name, value ?? '')
  if (name === 'secret') values.set('code', await generate({ secret: value ?? '' }).catch(() => ''))
}

/** @throws {NotApplicable} if the files are at another address, where no key may be sent */
function pathOfFile(body: Json, { url }: Side): string {
  const { letter } = documentFieldsIn(unwrapped(body) ?? null)
  const address = new URL(typeof letter === 'string' ? letter : '', url)
  if (address.origin !== new URL(url).origin) throw new NotApplicable('Its files are at another address.')
  return address.pathname + address.search
}

function tokenIn(body: Json): string | undefined {
  return textIn(body, 'token') ?? textIn(body, 'access_token')
}

/** Prepares the names and fixtures of a case. */
async function openValues(one: ParityCase, stage: Stage, options: SendOptions): Promise<Map<string, string>> {
  const number = stage.next()
  const email = `parity+${stage.run}-${number}@example.com`
  const values = new Map([
    ['fresh', `parity_${stage.run}_${number}`],
    ['email', email],
  ])
  const used = usedIn(one)
  if (used.rows) values.set('rows', await openCollection(stage, 'rows', rows, options))
  if (used.many) values.set('many', await openCollection(stage, 'many', many, options))
  if (used.user) await openUser(stage, values)
  return values
}

/** Saves the names of the case before anything is made. Returns the collections, to remove them after the case. */
function journalNames(one: ParityCase, { journal }: Stage, values: ReadonlyMap<string, string>): string[] {
  if (!journal) return []
  const text = JSON.stringify(one.steps)
  const email = values.get('email') ?? ''
  if (text.includes('{email}')) journal.add({ kind: 'user', name: email })
  const names = ['{fresh}', '{fresh}_b', '{fresh} b'].filter((name) => new RegExp(`${name}(?![_ ]b)`).test(text))
  const collections = names.map((name) => fill(name, values))
  for (const name of collections) journal.add({ kind: 'collection', name })
  return collections
}

/** Deletes a collection of the run. What fails stays in the journal, for the clean-up at the end. */
async function removeCollection({ side, journal }: Stage, name: string): Promise<void> {
  try {
    if (await deleteCollection(side, name)) journal?.done({ kind: 'collection', name })
  } catch (error) {
    if (!(error instanceof Disturbed) && !(error instanceof Error && error.name === 'BudgetSpent')) throw error
  }
}

/** Returns whether it is gone, or never was. */
export async function deleteCollection(side: Side, name: string): Promise<boolean> {
  const { status } = await side.send({ method: 'DELETE', path: `/collections/${encodeURIComponent(name)}` })
  return status < 300 || status === 404
}

/** Makes a collection with documents once for all cases. */
async function openCollection(
  stage: Stage,
  name: 'rows' | 'many',
  documents: readonly Json[],
  options: SendOptions,
): Promise<string> {
  const known = stage.fixtures.get(name)
  if (known !== undefined) return known
  const collection = `parity_${stage.run}_${name}_${stage.next()}`
  stage.journal?.add({ kind: 'collection', name: collection })
  const ask = { acceptsFailure: options.acceptsFailure ?? false }
  await build(stage.side, { method: 'POST', path: '/collections', body: { name: collection } }, ask)
  // One after another, because the order of one batch is up to the service.
  const batch = { method: 'POST', path: `/collections/${collection}/batch/documents/create` }
  if (name === 'many') await build(stage.side, { ...batch, body: { documents: [...documents] } }, ask)
  else
    for (const body of documents) {
      await build(stage.side, { method: 'POST', path: `/collections/documents?collection=${collection}`, body }, ask)
    }
  stage.fixtures.set(name, collection)
  return collection
}

async function openUser(stage: Stage, values: Map<string, string>): Promise<void> {
  const { fixtures } = stage
  if (!fixtures.has('user')) {
    const email = `parity+${stage.run}-u${stage.next()}@example.com`
    stage.journal?.add({ kind: 'user', name: email })
    const body = { email, password, data: { name: 'Ada' } }
    const { body: session } = await build(stage.side, { method: 'POST', path: '/auth-collections/signup', body }, {})
    fixtures.set('user', email)
    fixtures.set('token', tokenIn(session) ?? '')
  }
  const email = fixtures.get('user') ?? ''
  values.set('user', email)
  values.set('loudUser', email.toUpperCase())
  values.set('token', fixtures.get('token') ?? '')
}

async function build(side: Side, step: Step, options: SendOptions): Promise<Answer> {
  const answer = await side.send(step, options)
  if (answer.status < 400) return answer
  throw new NotApplicable(`${step.method} ${step.path.replace(/parity_\w+/, '…')} is refused with ${answer.status}`)
}
