/** Tells which cases an axis can change the answer of, so that no form is tried in vain. */
import type { Axis } from '../../client/protocol/wire/axes.js'
import type { Look, ParityCase, Step } from './case.js'

type Reach = (one: ParityCase) => boolean

const always: Reach = () => true
const some =
  (isMeant: (step: Step) => boolean): Reach =>
  ({ steps }) =>
    steps.some(isMeant)
const sends = (...methods: readonly string[]) => some(({ method }) => methods.includes(method))
const asks = (path: RegExp) => some((step) => path.test(step.path))
const shows =
  (...looks: readonly Look[]): Reach =>
  ({ compare }) =>
    looks.some((look) => compare.includes(look))
const either =
  (...reaches: readonly Reach[]): Reach =>
  (one) =>
    reaches.some((reach) => reach(one))
const onSharedSocket: Reach = ({ listen, socket }) => listen !== undefined && socket === 'shared'

const queries = some(({ method, path }) => method === 'GET' && /\?./.test(path))

const reaches: { readonly [A in Axis]: Reach } = {
  paths: always,
  document: always,
  record: always,
  refusals: always,
  body: sends('POST', 'PATCH', 'PUT'),
  list: sends('GET'),
  paging: sends('GET'),
  filters: either(queries, ({ watched }) => watched !== undefined),
  put: sends('PUT'),
  events: onSharedSocket,
  frames: onSharedSocket,
  errors: shows('error', 'body'),
  two_factor: asks(/2fa|two-factor/),
  users: asks(/users/),
  session: asks(/sign-?up|login|register|2fa/),
  acks: either(sends('DELETE'), asks(/batch/)),
  populate: queries,
  order: queries,
}

export function canReach(axis: Axis, one: ParityCase): boolean {
  return reaches[axis](one)
}
