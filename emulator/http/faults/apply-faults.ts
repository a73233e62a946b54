/** Applies faults to a request after its project is known and before it runs. */
import { setTimeout as pause } from 'node:timers/promises'
import { type ErrorCode, SvcError, statuses } from '../../../client/protocol/model/errors.js'
import { type Fault, faultHeader } from '../../../client/protocol/model/faults/fault.js'
import { failingBackend } from '../../core/faults/failing-backend.js'
import type { Strike } from '../../core/faults/faults.js'
import type { Exchange, HttpContext } from '../exchange.js'
import { Aborted } from '../request/read-json.js'

/** @throws {SvcError} the error of a fault that refuses the request; `Aborted` if the fault breaks the connection */
export async function applyFaults({ backend }: HttpContext, exchange: Exchange): Promise<void> {
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

/** Returns the faults of these kinds that are about to affect the answer. */
export function activeFaults(exchange: Exchange, kinds: readonly Fault['kind'][]): readonly Fault[] {
  const those = exchange.faults.filter(({ fault }) => kinds.includes(fault.kind))
  return those.filter((strike) => acts(strike, exchange)).map(({ fault }) => fault)
}

/**
 * Counts a hit, and names the fault in the answer, only when the fault takes effect. A request that fails earlier doesn't
 * count.
 */
function acts(strike: Strike, exchange: Exchange): boolean {
  const isActing = strike.acts()
  if (isActing && !exchange.headers[faultHeader]?.split(', ').includes(describeFault(strike.fault)))
    name(strike.fault, exchange)
  return isActing
}

const describeFault = ({ id, kind }: Fault) => `${id} ${kind}`

/** Names the fault in the answer, so that nobody searches for another cause. */
function name(fault: Fault, exchange: Exchange): void {
  const before = exchange.headers[faultHeader]
  const words = describeFault(fault)
  exchange.headers = { ...exchange.headers, [faultHeader]: before === undefined ? words : `${before}, ${words}` }
}

function refusal({ id, status = 503, retryAfter }: Fault): SvcError {
  const code = (Object.keys(statuses) as (keyof typeof statuses)[]).find((each) => statuses[each] === status)
  const extras = retryAfter === undefined ? {} : { retryAfterSeconds: retryAfter }
  return new SvcError(usual[status] ?? code ?? 'INTERNAL', `A simulated fault (${id}).`, [], extras)
}

/** The most common code of statuses that have several. */
const usual: Readonly<Record<number, ErrorCode>> = { 400: 'INVALID_BODY', 409: 'COLLECTION_EXISTS' }

function breakOff({ req }: Exchange): never {
  req.socket.destroy()
  throw new Aborted()
}
