/** Applies faults to a request after its project is known and before it runs. */
import { setTimeout as pause } from 'node:timers/promises'
import { type ErrorCode, SvcError, statuses } from '../../../client/protocol/model/errors.js'
import { type Fault, faultHeader } from '../../../client/protocol/model/faults/fault.js'
import { failingBackend } from '../../core/faults/failing-backend.js'
import type { Strike } from '../../core/faults/faults.js'
import type { HttpContext } from '../http-context.js'
import { Aborted } from '../request/read-json.js'
import type { InProject, Reach } from '../stages.js'

/** @throws {SvcError} the error of a fault that refuses the request; `Aborted` if the fault breaks the connection */
export async function applyFaults<Known extends InProject>(
  { backend: { faults } }: HttpContext,
  known: Known,
  reach: Reach,
): Promise<Known> {
  const { req, project, caller } = known
  if (faults.isEmpty(project.id)) return known
  const [path = ''] = (req.url ?? '').split('?')
  const target = { method: req.method ?? '', path, project: project.id, user: caller?.user?.id }
  let struck = known
  for (const strike of faults.meet(target)) {
    struck = reach({ ...struck, faults: [...struck.faults, strike], backend: hitBackend(struck, strike) })
    await hit(struck, strike)
  }
  return struck
}

/** Wraps the backend if the fault is one of database or storage. */
function hitBackend({ backend }: InProject, { fault: { kind }, acts }: Strike): InProject['backend'] {
  const isOfBackend = kind === 'storage' || kind === 'disk-full' || kind === 'database'
  return isOfBackend ? failingBackend(backend, kind, acts) : backend
}

/** Delays, refuses or breaks off the request. The answer brings all other faults. */
async function hit({ req }: InProject, { fault, draw, acts }: Strike): Promise<void> {
  const { milliseconds = 0, jitter = 0 } = fault
  switch (fault.kind) {
    case 'latency':
      if (acts()) await pause(Math.max(0, milliseconds + (2 * draw() - 1) * jitter))
      return
    case 'status':
      if (acts()) throw refusal(fault)
      return
    case 'drop':
      if (fault.when === 'after' || !acts()) return
      req.socket.destroy()
      throw new Aborted()
  }
}

/** Whether a fault, not the client, may have ended the connection. */
export function mayLoseAnswer(faults: readonly Strike[]): boolean {
  return faults.some(({ fault: { kind } }) => ['drop', 'slow', 'cut', 'stall'].includes(kind))
}

/** Returns the faults of these kinds that are about to affect the answer, and counts them as hits. */
export function activeFaults(faults: readonly Strike[], kinds: readonly Fault['kind'][]): readonly Fault[] {
  return faults.filter(({ fault, acts }) => kinds.includes(fault.kind) && acts()).map(({ fault }) => fault)
}

/** Names the faults that have taken effect, so that developers do not look for another cause. */
export function faultHeaders(faults: readonly Strike[]): Readonly<Record<string, string>> {
  const acted = faults.filter(({ hasActed }) => hasActed())
  return acted.length === 0 ? {} : { [faultHeader]: acted.map(({ fault: { id, kind } }) => `${id} ${kind}`).join(', ') }
}

function refusal({ id, status = 503, retryAfter }: Fault): SvcError {
  const code = (Object.keys(statuses) as (keyof typeof statuses)[]).find((each) => statuses[each] === status)
  const extras = retryAfter === undefined ? {} : { retryAfterSeconds: retryAfter }
  return new SvcError(usual[status] ?? code ?? 'INTERNAL', `A simulated fault (${id}).`, [], extras)
}

/** The most common code of statuses that have several. */
const usual: Readonly<Record<number, ErrorCode>> = { 400: 'INVALID_BODY', 409: 'COLLECTION_EXISTS' }
