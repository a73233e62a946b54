import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { startEmulator } from '../../emulator/dev.js'

const [outside] = Object.values(networkInterfaces())
  .flat()
  .filter((address) => address?.family === 'IPv4' && !address.internal)

// A machine without a network has no address that others could call.
test.skipIf(!outside)(
  'contract 7.2 other machines may log in where they are let in, and change no account',
  async () => {
    const host = String(outside?.address)
    const emulator = await startEmulator({ memory: true, host, hosts: [host] })
    try {
      const answer = await fetch(`${emulator.url}/login-idp`, { headers: { 'x-api-key': emulator.apiKey } })
      const url = new URL(((await answer.json()) as { url: string }).url)
      const post = (path: string, form: Record<string, string>) =>
        fetch(`${url.origin}/_svc/idp/${path}${url.search}`, {
          method: 'POST',
          body: new URLSearchParams(form),
          redirect: 'manual',
        })

      const added = await post('accounts', { change: 'add', name: 'Eve' })
      const kept = await post('authorize', { account: 'ada', fault: 'down', keep: 'on' })
      const chosen = await post('authorize', { account: 'ada' })
      const back = await fetch(String(chosen.headers.get('location')), { redirect: 'manual' })

      expect([added.status, kept.status]).toEqual([403, 403])
      expect(back.headers.get('location')).toContain('svc-super-token=')
    } finally {
      await emulator.close()
    }
  },
)
