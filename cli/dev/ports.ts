import getPort, { portNumbers } from 'get-port'

/** Where `svc dev` listens when nobody says otherwise. */
const usualPort = 4400
const triedPorts = 100

/** The usual port, or the next one that nobody uses: two projects can run side by side. */
export function firstFreePort(host: string | undefined): Promise<number> {
  return getPort({ port: portNumbers(usualPort, usualPort + triedPorts), ...(host === undefined ? {} : { host }) })
}
