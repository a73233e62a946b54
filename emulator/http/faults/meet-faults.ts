/** What faults do to a request once it is known whose it is, before it is carried out. */
import { setTimeout as pause } from 'node:timers/promises'
import { type ErrorCode, SvcError, statuses } from '../../../client/protocol/model/errors.js'
import { type Fault, faultHeader } from '../../../client/protocol/model/faults/fault.js'
import { failingBackend } from '../../core/faults/failing-backend.js'
import type { Strike } from '../../core/faults/faults.js'
import type { Exchange, HttpContext } from '../exchange.js'
import { Aborted } from '../request/read-json.js'

/** @throws {SvcError} whatever a fault refuses it with, `Aborted` where its connection breaks */
export async function meetFaults({ backend }: HttpContext, exchange: Exchange): Promise<void> {
  const { req, project, caller } = exchange
  if (!project || backend.faults.isEmpty(project.id)) return
  const [path = ''] = (req.url ?? '').split('?')
  const request = { method: req.method ?? '', path, project: project.id, user: caller?.user?.id }
  for (const strike of backend.faults.meet(request)) await strikeBy(strike, exchange)
}

async function strikeBy({ fault, draw }: Strike, exchange: Exchange): Promise<void> {
  name(fault, exchange)
  switch (fault.kind) {
    case 'latency': {
      const { milliseconds = 0, jitter = 0 } = fault
      return pause(Math.max(0, milliseconds + (2 * draw() - 1) * jitter))
    }
    case 'status':
      throw refusal(fault)
    case 'drop':
      exchange.faults = [...exchange.faults, fault]
      if (fault.when !== 'after') breakOff(exchange)
      return
    case 'slow':
    case 'cut':
    case 'stall':
      exchange.faults = [...exchange.faults, fault]
      return
    case 'storage':
    case 'disk-full':
    case 'database':
      exchange.backend = failingBackend(exchange.backend, fault.kind)
  }
}

/** The answer says so, so that no real cause is looked for. */
function name({ id, kind }: Fault, exchange: Exchange): void {
  const before = exchange.headers[faultHeader]
  const words = `${id} ${kind}`
  exchange.headers = { ...exchange.headers, [faultHeader]: before === undefined ? words : `${before}, ${words}` }
}

function refusal({ id, status = 503, retryAfter }: Fault): SvcError {
  const code = (Object.keys(statuses) as (keyof typeof statuses)[]).find((each) => statuses[each] === status)
  const extras = retryAfter === undefined ? {} : { retryAfterSeconds: retryAfter }
  return new SvcError(usual[status] ?? code ?? 'INTERNAL', `A simulated fault (${id}).`, [], extras)
}

/** Of several codes of one status, the one that an app meets most. */
const usual: Readonly<Record<number, ErrorCode>> = { 400: 'INVALID_BODY', 409: 'COLLECTION_EXISTS' }

function breakOff({ req }: Exchange): never {
  req.socket.destroy()
  throw new Aborted()
}
