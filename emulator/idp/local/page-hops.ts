/** What a browser does at the provider's page, as hops of its login. */
import type { LoginFlows } from '../provider.js'
import type { Asked, ProviderAnswer } from './exchange.js'

/** Begins a hop where it is one; what is answered ends it. */
export function beginPageHop(
  { flows, page }: { flows: LoginFlows; page: string },
  { method, path, query, form }: Asked,
): (answer: ProviderAnswer) => void {
  if (path !== '/authorize') return () => undefined
  const isDecision = method === 'POST'
  const end = flows.begin(query.get('state') ?? '', {
    ...{ kind: isDecision ? 'account' : 'authorize', from: 'browser', to: 'provider', method },
    url: `${page}${path}`,
    // The form is sent to the address of its page, which has been shown.
    request: isDecision ? form : query,
  })
  return ({ status, headers: { location } }) =>
    end({ status, answer: location === undefined ? [['page', 'login']] : [['location', location]] })
}
