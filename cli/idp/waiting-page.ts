/** Serves the local page on which a login in the browser ends, for a command that waits for it. */
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Outcome, readOutcome } from './outcome.js'

// Importing it would also load `fetch`, from Node 22 on. Decision 65.
const { createServer } = process.getBuiltinModule('node:http')

export interface WaitingPage {
  readonly url: string
  /** Waits for the outcome of the login. Resolves with undefined after the timeout. */
  outcome(timeoutMilliseconds: number): Promise<Outcome | undefined>
  close(): void
}

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc</title>
<style>
  :root { color-scheme: light dark }
  body { font: 16px/1.6 system-ui, sans-serif; max-width: 30rem; margin: 4rem auto; padding: 0 1rem }
</style>
<h1>Go back to the terminal</h1>
<p>The login is complete. You can close this page.
</html>
`

/** Uses a secret path, so that no other page can fake the outcome. */
export async function openWaitingPage(): Promise<WaitingPage> {
  const path = `/${randomBytes(18).toString('base64url')}`
  let tell: (outcome: Outcome) => void = () => undefined
  const outcome = new Promise<Outcome>((resolve) => {
    tell = resolve
  })
  const server = createServer((req, res) => {
    const address = new URL(req.url ?? '/', 'http://127.0.0.1')
    const outcome = address.pathname === path ? readOutcome(address.href) : undefined
    res.writeHead(outcome ? 200 : 404, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      connection: 'close',
    })
    res.end(outcome ? page : 'Not found.', () => outcome && tell(outcome))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${path}`,
    async outcome(milliseconds) {
      const isOver = new AbortController()
      const late = pause(milliseconds, undefined, { signal: isOver.signal })
      return Promise.race([outcome, late]).finally(() => isOver.abort())
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
