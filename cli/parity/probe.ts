/** Finds out with the first calls what a service can do, so that no case asks in vain. */
import { isObject } from '../../client/protocol/model/json.js'
import { CliFailure, exits, noGoodKey } from '../base/failure.js'
import { unwrapped } from '../dialects/judges.js'
import { type Answer, textIn } from './answers.js'
import type { Capability, Step } from './case.js'
import { hasSharedSocket } from './listen.js'
import { deleteCollection, type Stage } from './run-case.js'
import { Disturbed } from './side.js'

export interface Probed {
  readonly can: ReadonlySet<Capability>
  /** Notes for the reader of the report. */
  readonly facts: readonly string[]
}

const maxSkewMilliseconds = 300_000

/** @throws {CliFailure} with exit 3 if the key is not good */
export async function probe(stage: Stage, { isReadOnly }: { readonly isReadOnly: boolean }): Promise<Probed> {
  const { side } = stage
  const users = await side.send({ method: 'GET', path: '/auth-collections/users?limit=1' })
  if ([400, 401, 403, 422].includes(users.status)) throw badKey(users)
  const facts = [...skew(users), ...(await listsCollections(stage))]
  if (isReadOnly) return { can: new Set(), facts }
  const name = `parity_${stage.run}_probe`
  stage.journal?.add({ kind: 'collection', name })
  const quiet = await readsQuietly(stage, name)
  const made = await probeDocuments(stage, name)
  await removeProbe(stage, name)
  const isShared = await hasSharedSocket(side.url, stage.signal)
  return {
    can: new Set([...quiet.can, ...made.can, 'write', 'users', ...(isShared ? (['shared socket'] as const) : [])]),
    facts: [...facts, ...quiet.facts, ...made.facts],
  }
}

interface Part {
  readonly can: Capability[]
  readonly facts: string[]
}

async function readsQuietly({ side }: Stage, name: string): Promise<Part> {
  const read = await side.send({ method: 'GET', path: `/collections/${name}/documents` }).catch(ifDisturbed)
  const isQuiet = read === undefined || read.status >= 400
  return isQuiet
    ? { can: ['quiet reads'], facts: [] }
    : { can: [], facts: ['Reading a missing collection creates it.'] }
}

/** Asks only whether a route is there. What gets no clear answer counts as there, and each case finds out. */
async function probeDocuments({ side }: Stage, name: string): Promise<Part> {
  const send = (step: Step) => side.send(step).catch(ifDisturbed)
  const isThere = (answer: Answer | undefined) => !answer || ![404, 405].includes(answer.status)
  const can: Capability[] = []
  const facts: string[] = []
  if (isThere(await send({ method: 'POST', path: '/collections', body: { name } }))) can.push('collections')
  const body = { n: 1 }
  // The second of two equal requests, which a service that obeys the key answers without a new document.
  const create = {
    method: 'POST',
    path: `/collections/documents?collection=${name}`,
    ...{ body, headers: { 'idempotency-key': name } },
  }
  const ids = [idIn(await send(create)), idIn(await send(create))]
  if (ids[0] !== undefined && ids[0] === ids[1]) can.push('idempotency')
  else facts.push('Idempotency keys are not obeyed, so a repeated POST may create twice.')
  const path = `/collections/${name}/documents`
  const id = ids.find((one) => one !== undefined)
  if (id === undefined || isThere(await send({ method: 'PUT', path: `${path}/${id}`, body }))) can.push('put')
  const unknown = await send({ method: 'GET', path: `${path}?parity_unknown=1` })
  if (unknown && unknown.status < 400 && !isEmpty(unknown)) facts.push('Unknown parameters are ignored.')
  const batch = { documents: [{ n: 2 }] }
  const batchPath = `/collections/${name}/batch/documents/create`
  if (isThere(await send({ method: 'POST', path: batchPath, body: batch }))) can.push('batch')
  return { can, facts }
}

function idIn(answer: Answer | undefined): string | undefined {
  return answer && answer.status < 400 ? textIn(answer.body, 'id') : undefined
}

/** Runs the part of the probe that decides nothing but what the report says. */
async function listsCollections({ side }: Stage): Promise<string[]> {
  const { status } = await side.send({ method: 'GET', path: '/collections' })
  return status === 405 || status === 404 ? ['The service does not list its collections.'] : []
}

async function removeProbe({ side, journal }: Stage, name: string): Promise<void> {
  if (await deleteCollection(side, name).catch(ifDisturbed)) journal?.done({ kind: 'collection', name })
}

function ifDisturbed(error: unknown): undefined {
  if (!(error instanceof Disturbed)) throw error
}

function isEmpty({ body }: Answer): boolean {
  const inner = unwrapped(body)
  const items = Array.isArray(inner) ? inner : isObject(inner) ? inner.documents : undefined
  return Array.isArray(items) && items.length === 0
}

function skew({ header }: Answer): string[] {
  const at = Date.parse(header('date') ?? '')
  const off = Math.abs(at - new Date().getTime())
  return off > maxSkewMilliseconds ? [`The clock of the service is off by ${Math.round(off / 60_000)} minutes.`] : []
}

function badKey({ status }: Answer): CliFailure {
  return new CliFailure('UNAUTHORIZED', exits.notAuthorised, `The service refused the key with ${status}.`, noGoodKey)
}
