import { createServer } from 'node:net'
import { isAnswering } from '../target/emulator-health.js'
import { type Patient, type Seen, well } from './finding.js'
import { keptPort } from './folder-files.js'

/** Where `svc dev` listens at first. */
const usualPort = 4400

/** Whether the next start gets the port that the app's environment names. */
export async function checkPort({ folder, emulator }: Patient): Promise<Seen> {
  if (emulator) return well(`${new URL(emulator.url).port}, where the emulator answers`)
  const kept = keptPort(folder)
  const port = kept ?? usualPort
  if (await isFree(port)) return well(`${port} is free`)
  const who = (await isAnswering(`http://127.0.0.1:${port}`, 2_000)) ? 'another emulator' : 'another program'
  const said = `${port} is in use`
  if (kept === undefined) {
    const message = `Port ${port} is in use by ${who}.`
    const remedy = 'Nothing to do: svc dev takes the next free one.'
    return { said, findings: [{ code: 'USUAL_PORT_IN_USE', level: 'note', message, remedy }] }
  }
  const message = `Port ${port}, where the emulator of this folder listened last, is in use by ${who}.`
  const remedy =
    'Stop that one, or let svc dev take another port and bring what your app has in its environment up to date.'
  return { said, findings: [{ code: 'PORT_IN_USE', level: 'wrong', message, remedy }] }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
