import { createServer } from 'node:net'
import { isAnswering } from '../target/emulator-health.js'
import { type Patient, type Seen, well } from './finding.js'
import { keptPort } from './folder-files.js'

/** The port of the first `svc dev` in a folder. */
const usualPort = 4400

/** Checks whether the next start gets the port that the app expects. */
export async function checkPort({ folder, emulator }: Patient): Promise<Seen> {
  if (emulator) return well(`${new URL(emulator.url).port}, where the emulator answers`)
  const kept = keptPort(folder)
  const port = kept ?? usualPort
  if (await isFree(port)) return well(`${port} is free`)
  const who = (await isAnswering(`http://127.0.0.1:${port}`, 2_000)) ? 'another emulator' : 'another program'
  const said = `${port} is in use`
  if (kept === undefined) {
    const message = `Port ${port} is in use by ${who}.`
    const remedy = 'Nothing to do: svc dev uses the next free port.'
    return { said, findings: [{ code: 'USUAL_PORT_IN_USE', level: 'note', message, remedy }] }
  }
  const message = `Port ${port}, the last port of this folder's emulator, is in use by ${who}.`
  const remedy = 'Stop that program, or start svc dev on another port and update the address in your app.'
  return { said, findings: [{ code: 'PORT_IN_USE', level: 'wrong', message, remedy }] }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
