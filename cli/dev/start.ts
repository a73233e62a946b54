/** Starts an emulator from the options of `svc dev`. */
import { join } from 'node:path'
import type { Emulator } from '../../emulator/assembly/dev.js'
import type { ServedBranch } from '../git/served-branch.js'
import { withSnapshot } from '../snapshots/undoable.js'
import { openSnapshotControl } from '../target/control.js'
import type { EmulatorInfo } from '../target/emulator-file.js'
import { ownHostNames } from '../target/own-names.js'
import { recordsFolder } from '../target/records-folder.js'
import { isOpenToOthers, nearby } from './box.js'
import type { DevOptions } from './dev-flags.js'
import type { LiveConfig } from './live-config.js'
import { readMailUrls } from './mail-flags.js'
import type { RequestLog } from './request-log.js'

/** Helpers that run next to the emulator. */
export interface Started {
  readonly branch: ServedBranch | undefined
  readonly live: LiveConfig
  readonly requests: RequestLog
}

/** @throws {StartError} with the reason and a fix */
export async function start(options: DevOptions, { live, requests, branch }: Started): Promise<Emulator> {
  const { startEmulator } = await import('../../emulator/assembly/dev.js')
  return startEmulator({
    ...(options.port === undefined ? { choosePort: freePort(options.host) } : { port: options.port }),
    host: options.host,
    dir: options.folder,
    branch: branch?.name,
    privateDir: join(recordsFolder(), 'keys'),
    memory: options.memory,
    fresh: options.fresh,
    newToken: options['new-token'],
    sharedBuffersMb: options.sharedBuffersMb,
    databaseUrl: options['database-url'],
    databaseListenUrl: options['database-listen-url'],
    filesUrl: options['files-url'],
    project: options.project,
    dialect: options.dialect,
    tier: options.tier,
    ...readMailUrls(options),
    mailFrom: options['mail-from'],
    trustedProxies: options['trusted-proxies'],
    latency: live.nextLatency,
    onRequest: requests.add,
    hosts: [...(isOpenToOthers(options.host) ? ownHostNames() : []), ...options['allowed-host']],
    publicUrl: options['public-url'],
  })
}

/** Collects what the box prints. */
export async function boxDetails(options: DevOptions, { secretKey }: Emulator, branch: ServedBranch | undefined) {
  const { folder, memory, host, 'allowed-host': names, 'public-url': publicUrl } = options
  const server = options['database-url']
  const data =
    server !== undefined
      ? `saved in PostgreSQL, ${await serverName(server)}`
      : memory
        ? 'in memory, lost when it stops'
        : [`saved in ${nearby(folder)}`, branch?.describe()].filter(Boolean).join(', ')
  const isOpen = isOpenToOthers(host) || names.length > 0 || publicUrl !== undefined
  return { folder, secretKey, data, publicUrl, isKept: !memory, isOpenToOthers: isOpen }
}

async function serverName(url: string): Promise<string> {
  const { shownAddress } = await import('../../emulator/database/postgres/server-address.js')
  return shownAddress(url)
}

function freePort(host: string | undefined) {
  return async (kept: number | undefined) => {
    const { firstFreePort } = await import('../dev/ports.js')
    return firstFreePort(host, kept)
  }
}

/** Loads a snapshot, and saves the current state to another one first. @throws {SvcError} `NOT_FOUND` */
export async function loadSnapshot(info: EmulatorInfo, snapshot: string, say: (words: string) => void): Promise<void> {
  const { snapshots } = openSnapshotControl(info)
  const project = info.projectId
  await snapshots.get({ project, snapshot })
  const undoable = {
    emulator: info,
    command: `dev --snapshot ${snapshot}`,
    keeping: snapshot,
    key: undefined,
    onSaved: (name: string) => say(`Saved snapshot "${name}" first. svc undo restores it.`),
    onUnchanged: (name: string) => say(`Nothing changed, so snapshot "${name}" was deleted again.`),
    onGone: (name: string) => say(`Snapshot "${name}" is gone, so svc undo cannot restore it.`),
    onUnsaved: (why: string) => Promise.reject(new Error(why)),
  }
  await withSnapshot(undoable, () => snapshots.load({ project, snapshot }))
  say(`Loaded snapshot "${snapshot}".`)
}
