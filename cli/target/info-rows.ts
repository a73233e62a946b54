import type { Control } from '../../client/control.js'
import { formatBytes } from '../../client/protocol/model/figures.js'
import { counted } from '../terminal/print.js'

type Info = Awaited<ReturnType<Control['info']['get']>>

/** What an emulator says of itself, in the words of a terminal; its address and folder stand in its file. */
export function infoRows({ project, database, disk, streams, clock, dialect, limits, hashing }: Info) {
  // An emulator of an earlier version does not say.
  const { servers = [] } = database
  const at = servers.length > 0 ? ` at ${servers.join(', ')}` : ''
  const size = `${formatBytes(database.bytes)}, PostgreSQL ${database.version}${at}`
  return {
    project: project.name === project.id ? project.id : `${project.id}, "${project.name}"`,
    database: database.isDurable ? size : `${size}; a power cut may cost the last writes`,
    ...(disk ? { disk: `${formatBytes(disk.freeBytes)} free` } : {}),
    streams: `${counted(streams.subscriptions, 'subscription')} on ${counted(streams.connections, 'connection')}`,
    clock: clock.offset === 0 ? clock.now : `${clock.now}, moved`,
    dialect,
    tier: `${limits.tier}; files of at most ${formatBytes(limits.fileBytes)}`,
    hashing: hashingWords(hashing.library),
  }
}

/** Which library hashes passwords, and what that means. */
export function hashingWords(library: string): string {
  return library === 'bcryptjs' ? 'bcryptjs, in JavaScript' : `${library}, in native code`
}
