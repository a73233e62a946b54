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

async function strikeBy(strike: Strike, exchange: Exchange): Promise<void> {
  const { fault, draw } = strike
  switch (fault.kind) {
    case 'latency': {
      const { milliseconds = 0, jitter = 0 } = fault
      if (acts(strike, exchange)) await pause(Math.max(0, milliseconds + (2 * draw() - 1) * jitter))
      return
    }
    case 'status':
      if (acts(strike, exchange)) throw refusal(fault)
      return
    case 'drop':
    case 'slow':
    case 'cut':
    case 'stall':
      exchange.faults = [...exchange.faults, strike]
      if (fault.kind === 'drop' && fault.when !== 'after' && acts(strike, exchange)) breakOff(exchange)
      return
    case 'storage':
    case 'disk-full':
    case 'database':
      exchange.backend = failingBackend(exchange.backend, fault.kind, () => acts(strike, exchange))
  }
}

/** Those of these kinds that are about to act on the answer. */
export function actingOn(exchange: Exchange, kinds: readonly Fault['kind'][]): readonly Fault[] {
  const those = exchange.faults.filter(({ fault }) => kinds.includes(fault.kind))
  return those.filter((strike) => acts(strike, exchange)).map(({ fault }) => fault)
}

/** A hit is counted, and the answer says so, where it is about to act: a request that does not come that far meets nothing. */
function acts(strike: Strike, exchange: Exchange): boolean {
  const isActing = strike.acts()
  if (isActing && !exchange.headers[faultHeader]?.split(', ').includes(wordsOf(strike.fault)))
    name(strike.fault, exchange)
  return isActing
}

const wordsOf = ({ id, kind }: Fault) => `${id} ${kind}`

/** So that no real cause is looked for. */
function name(fault: Fault, exchange: Exchange): void {
  const before = exchange.headers[faultHeader]
  const words = wordsOf(fault)
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
