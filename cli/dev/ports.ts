import getPort, { portNumbers } from 'get-port'

/** Where `svc dev` listens when nobody says otherwise. */
const usualPort = 4400
const triedPorts = 100

/** The usual port, or the next one that nobody uses: two projects can run side by side. */
export function firstFreePort(host: string | undefined): Promise<number> {
  const port = portNumbers(usualPort, usualPort + triedPorts)
  // Where the address is not this machine's, whoever listens there says so.
  return getPort({ port, ...(host === undefined ? {} : { host }) }).catch(() => usualPort)
}
