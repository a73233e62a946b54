/** What is asked while the service still starts: whoever gets through is answered as everybody is later. */
import { mkdtemp, rm } from 'node:fs/promises'
import { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { startEmulator } from '../../emulator/main.js'

it('an upload that arrives before the start is complete gets the whole address of its file', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-first-'))
  const { apiKey, close } = await startEmulator({ dir })
  await close()
  const listen = Server.prototype.listen
  let asked: Promise<{ at: string; url: string; holder: string }> | undefined

  // The second of the two addresses comes only once the first one has answered.
  vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...given: unknown[]) {
    const [options] = given
    const isSecond = typeof options === 'object' && options !== null && 'host' in options && options.host === '::1'
    if (!isSecond || !('port' in options) || asked) return listen.apply(this, given as never)
    asked = upload(`http://127.0.0.1:${options.port}`)
    void asked.finally(() => listen.apply(this, given as never))
    return this
  })
  async function upload(at: string) {
    const form = new FormData()
    form.append('file', new File(['early'], 'note.txt'))
    const answer = await fetch(`${at}/storage/upload`, { method: 'POST', headers: { 'x-api-key': apiKey }, body: form })
    const { url } = (await answer.json()) as { url: string }
    const holder = await startEmulator({ dir }).catch((error: Error) => error.message)
    return { at, url, holder: String(holder) }
  }

  const emulator = await startEmulator({ dir })
  const early = await asked
  vi.restoreAllMocks()

  expect(early?.at).toBe(emulator.url)
  expect(early?.url).toMatch(new RegExp(`^${emulator.url}/.*note\\.txt$`))
  expect(early?.holder).toContain(`at ${emulator.url}.`)
  expect(await (await fetch(early?.url ?? '')).text()).toBe('early')
  await emulator.close()
  await rm(dir, { recursive: true })
})
