/** What the service itself is asked in a login through a provider, as hops of it. Only a developer's machine keeps them. */
import { loginFailures, outcomeNames } from '../../client/protocol/model/provider-login.js'
import type { Context } from '../core/context.js'
import { type SentOn, toLoginFailure } from '../core/providers/provider-logins.js'
import { mainProvider } from '../core/providers/provider-settings.js'

type Scope = Pick<Context, 'backend' | 'project'>
type Pairs = Iterable<readonly [string, string]>

interface Asked {
  readonly provider?: string | undefined
  readonly method: string
  readonly path: string
  readonly request: Pairs
}

/** The address of a login that begins, which is the first that carries its state. */
export async function departed(
  { backend, project }: Scope,
  { provider = mainProvider, method, path, request }: Asked,
  starting: Promise<string>,
): Promise<string> {
  const startedAt = performance.now()
  const address = await starting
  const flows = backend.localProvider?.flows
  const state = new URL(address).searchParams.get('state') ?? ''
  flows?.open(state, { project: project.id, provider })
  const end = flows?.begin(state, {
    ...{ kind: 'start', from: 'browser', to: 'service', method },
    ...{ url: backend.reachedAt() + path, request },
  })
  end?.({ status: 200, answer: [['location', address]], milliseconds: performance.now() - startedAt })
  return address
}

interface CameBack {
  readonly path: string
  readonly parameters: URLSearchParams
}

/** The browser at an address of the service, which sends it on. */
export async function sentOn(
  backend: Context['backend'],
  { kind, path, parameters }: CameBack & { readonly kind: 'depart' | 'callback' },
  sending: () => Promise<SentOn>,
): Promise<SentOn> {
  const flows = backend.localProvider?.flows
  if (!flows) return sending()
  const state = parameters.get('state') ?? ''
  const url = backend.reachedAt() + path
  const end = flows.begin(state, { kind, from: 'browser', to: 'service', method: 'GET', url, request: parameters })
  try {
    const sent = await sending()
    end({ status: 302, answer: [['location', sent.location]] })
    if (kind === 'callback' && sent.isRefused !== true) endAtApp(flows, state, sent.location)
    return sent
  } catch (error) {
    end({ status: null, answer: [] })
    throw error
  }
}

function endAtApp(flows: NonNullable<Context['backend']['localProvider']>['flows'], state: string, url: string): void {
  flows.begin(state, { kind: 'app', from: 'browser', to: 'app', method: 'GET', url, request: [] })
  const failure = new URL(url).searchParams.get(outcomeNames.failure)
  flows.end(state, loginFailures.find((known) => known === failure) ?? 'succeeded')
}

/** The code that the provider sent to the app, handed on by it. */
export async function handedOn<Result>(
  { backend }: Scope,
  { path, parameters }: CameBack,
  finishing: () => Promise<Result>,
): Promise<Result> {
  const flows = backend.localProvider?.flows
  if (!flows) return finishing()
  const state = parameters.get('state') ?? ''
  const url = backend.reachedAt() + path
  const hop = { kind: 'callback', from: 'browser', to: 'service', method: 'POST' } as const
  const end = flows.begin(state, { ...hop, url, request: parameters })
  try {
    const result = await finishing()
    end({ status: 200 })
    flows.end(state, 'succeeded')
    return result
  } catch (error) {
    const reason = toLoginFailure(error)
    end({ status: null, answer: [['error', reason]] })
    flows.end(state, reason)
    throw error
  }
}
