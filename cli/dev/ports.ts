import getPort, { portNumbers } from 'get-port'

/** Where `svc dev` listens when nobody says otherwise. */
const usualPort = 4400
const triedPorts = 100

/** The folder's own port or, while others use that, the next one that is free: two projects can run side by side. */
export function firstFreePort(host: string | undefined, kept: number | undefined): Promise<number> {
  const port = [...(kept === undefined ? [] : [kept]), ...portNumbers(usualPort, usualPort + triedPorts)]
  // Where the address is not this machine's, whoever listens there says so.
  return getPort({ port, ...(host === undefined ? {} : { host }) }).catch(() => kept ?? usualPort)
}
