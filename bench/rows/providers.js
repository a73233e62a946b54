/** A login through the built-in identity provider, from the app's request to its token, without the user's time. */
import { startDev } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'

const rounds = 20

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  const dev = await startDev(newPath())
  // The first login of a start loads what talks to providers.
  await logIn(dev)
  const values = []
  for (let round = 0; round < rounds; round++) values.push(await logIn(dev))
  await dev.stop()

  return [
    {
      what: 'login through the built-in provider, without the person',
      against: 'nothing',
      values,
      target: { atMost: 300 },
      unit: ' ms',
    },
  ]
}

/** Milliseconds. @param {import('../tools/dev.js').Dev} dev */
async function logIn(dev) {
  const begunAt = performance.now()
  const { url } = await dev.ask('GET', '/auth-collections/login-idp')
  await (await fetch(url)).text()
  const chosen = await fetch(url, { method: 'POST', body: new URLSearchParams({ account: 'ada' }), redirect: 'manual' })
  const back = await fetch(String(chosen.headers.get('location')), { redirect: 'manual' })
  const milliseconds = performance.now() - begunAt
  const location = String(back.headers.get('location'))
  if (!location.includes('svc-super-token=')) throw new Error(`The login ended at ${location}.`)
  return milliseconds
}
