/** Records the browser's requests to the provider's page as hops of its login. */
import type { LoginFlows } from '../provider.js'
import type { ProviderAnswer, ProviderRequest } from './exchange.js'

/** Begins a hop if the request is one. Call the result to end it with the response. */
export function beginPageHop(
  { flows, page }: { flows: LoginFlows; page: string },
  { method, path, query, form }: ProviderRequest,
): (answer: ProviderAnswer) => void {
  if (path !== '/authorize') return () => undefined
  const isDecision = method === 'POST'
  const end = flows.begin(query.get('state') ?? '', {
    ...{ kind: isDecision ? 'account' : 'authorize', from: 'browser', to: 'provider', method },
    url: `${page}${path}`,
    // Omits the query of a form, because the hop of its page has shown it.
    request: isDecision ? form : query,
  })
  return ({ status, headers: { location } }) =>
    end({ status, answer: location === undefined ? [['page', 'login']] : [['location', location]] })
}
