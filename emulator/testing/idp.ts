/** Logins through the built-in identity provider, as a test has them end. */
import type { Control } from '../../client/control.js'
import type { TestProvider } from './helper.js'
import { ownFetch } from './own-fetch.js'

const mostSteps = 5

/** @param serviceUrl where the service is: its own pages are steps on the way */
export function openTestProvider(control: Control['idp'], project: string, serviceUrl: string): TestProvider {
  // The client id that a project has at the built-in provider.
  const client = `svc-${project}`
  return {
    async next(fault, times = 1) {
      await control.faults.set({ client, fault, times: Number.isFinite(times) ? times : null })
    },
    async works() {
      await control.faults.clear({ client })
    },
    accounts: async () => (await control.accounts.list()).accounts,
    addAccount: (account) => control.accounts.add(account),
    logIn: (url, account = 'ada') => walk(url, { account, serviceUrl }),
  }
}

async function walk(
  url: string,
  { account, serviceUrl }: { readonly account: string; readonly serviceUrl: string },
): Promise<string> {
  const { address, cookies } = await setOut(url)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = String(new URLSearchParams({ account }))
  let answer = await ownFetch(address, { method: 'POST', headers: form, body })
  for (let step = 0; step < mostSteps; step++) {
    const location = answer.headers.get('location')
    if (!location) break
    const { searchParams } = new URL(location)
    if (searchParams.has('svc-super-token') || searchParams.has('svc-error')) return location
    if (!location.startsWith(serviceUrl)) break
    answer = await ownFetch(location, { headers: cookies })
  }
  throw new Error(`The login stopped at a page that answers ${answer.status}: ${(await answer.text()).slice(0, 200)}`)
}

/** Opens the service's own page first where the login began in a page, as under jsdom: its cookie then has to come back. */
async function setOut(url: string): Promise<{ address: string; cookies: Readonly<Record<string, string>> }> {
  if (!new URL(url).pathname.endsWith('/start')) return { address: url, cookies: {} }
  const { headers } = await ownFetch(url, { headers: {} })
  const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';')
  return { address: headers.get('location') ?? url, cookies: { cookie } }
}
