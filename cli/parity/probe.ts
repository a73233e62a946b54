/** Finds out with the first calls what a service can do, so that no case asks in vain. */
import { isObject } from '../../client/protocol/model/json.js'
import { CliFailure, exits, noGoodKey } from '../base/failure.js'
import { unwrapped } from '../dialects/judges.js'
import { type Answer, textIn } from './answers.js'
import type { Capability, Step } from './case.js'
import type { Stage } from './run-case.js'
import { Disturbed } from './side.js'

export interface Probed {
  readonly can: ReadonlySet<Capability>
  /** What a reader of the report should know. */
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
  const can = new Set<Capability>(['write'])
  const name = `parity_${stage.run}_probe`
  stage.journal?.add({ kind: 'collection', name })
  const isOkay = async (step: Step): Promise<Answer | undefined> => {
    const answer = await side.send(step).catch(ifDisturbed)
    return answer && answer.status < 400 ? answer : undefined
  }
  if (await isOkay({ method: 'GET', path: `/collections/${name}/documents` })) facts.push('Reading a missing collection creates it.')
  else can.add('quiet reads')
  // A read may have made it already.
  const made = await side.send({ method: 'POST', path: '/collections', body: { name } }).catch(ifDisturbed)
  if (!made || made.status < 400 || made.status === 409 || !can.has('quiet reads')) can.add('collections')
  const body = { n: 1 }
  const documents = `/collections/documents?collection=${name}`
  const headers = { 'idempotency-key': name }
  const first = await isOkay({ method: 'POST', path: documents, body, headers })
  const id = first && textIn(first.body, 'id')
  if (id !== undefined) {
    const path = `/collections/${name}/documents/${id}`
    const put = await side.send({ method: 'PUT', path, body }).catch(ifDisturbed)
    if (!put || ![404, 405].includes(put.status)) can.add('put')
    // The second of two equal requests, which a service that obeys the key answers without a new document.
    const again = await isOkay({ method: 'POST', path: documents, body, headers })
    if (again && textIn(again.body, 'id') === id) can.add('idempotency')
    else facts.push('Idempotency keys are not obeyed, so a repeated POST creates twice.')
  }
  const unknown = await isOkay({ method: 'GET', path: `/collections/${name}/documents?parity_unknown=1` })
  if (unknown && !isEmpty(unknown)) facts.push('Unknown parameters are ignored.')
  const batch = await side
    .send({ method: 'POST', path: `/collections/${name}/batch/documents/create`, body: { documents: [{ n: 2 }] } })
    .catch(ifDisturbed)
  if (!batch || ![404, 405].includes(batch.status)) can.add('batch')
  can.add('users')
  await removeProbe(stage, name)
  return { can, facts }
}

/** Runs the part of the probe that decides nothing but what the report says. */
async function listsCollections({ side }: Stage): Promise<string[]> {
  const { status } = await side.send({ method: 'GET', path: '/collections' })
  return status === 405 || status === 404 ? ['The service does not list its collections.'] : []
}

async function removeProbe({ side, journal }: Stage, name: string): Promise<void> {
  const gone = await side.send({ method: 'DELETE', path: `/collections/${name}` }).catch(ifDisturbed)
  if (gone && (gone.status < 300 || gone.status === 404)) journal?.done({ kind: 'collection', name })
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
  const off = Math.abs(at - Date.now())
  return off > maxSkewMilliseconds ? [`The clock of the service is off by ${Math.round(off / 60_000)} minutes.`] : []
}

function badKey({ status }: Answer): CliFailure {
  return new CliFailure('UNAUTHORIZED', exits.notAuthorised, `The service refused the key with ${status}.`, noGoodKey)
}
