/** Logs in through the built-in identity provider, with outcomes chosen by the test. */
import type { Control } from '../../client/control.js'
import type { TestProvider } from './helper.js'
import { ownFetch } from './own-fetch.js'

const maxSteps = 5

/** @param serviceUrl address of the service, whose pages are steps of the login */
export function openTestProvider(control: Control['idp'], project: string, serviceUrl: string): TestProvider {
  // Client id of a project at the built-in provider.
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
  for (let step = 0; ; step++) {
    // Reads every body, because an unread one keeps its socket open, and with it the process of the tests.
    const page = await answer.text()
    const location = answer.headers.get('location')
    if (location && hasOutcome(location)) return location
    if (step === maxSteps || !location?.startsWith(serviceUrl)) {
      throw new Error(`The login stopped at a page with status ${answer.status}: ${page.slice(0, 200)}`)
    }
    answer = await ownFetch(location, { headers: cookies })
  }
}

function hasOutcome(location: string): boolean {
  const { searchParams } = new URL(location)
  return searchParams.has('svc-super-token') || searchParams.has('svc-error')
}

/**
 * Requests the service's page first if the login started in a page, as under jsdom, because the cookie has to be sent
 * back.
 */
async function setOut(url: string): Promise<{ address: string; cookies: Readonly<Record<string, string>> }> {
  if (!new URL(url).pathname.endsWith('/start')) return { address: url, cookies: {} }
  const answer = await ownFetch(url, { headers: {} })
  await answer.text()
  const { headers } = answer
  const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';')
  return { address: headers.get('location') ?? url, cookies: { cookie } }
}
