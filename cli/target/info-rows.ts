import type { Control } from '../../client/control.js'
import { formatBytes } from '../../client/protocol/model/figures.js'
import { counted } from '../terminal/print.js'

type Info = Awaited<ReturnType<Control['info']['get']>>

/** Formats the emulator's own info. Its URL and folder come from its file. */
export function infoRows({ project, database, disk, streams, clock, dialect, limits, hashing }: Info) {
  // Earlier versions do not report servers.
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

/** Describes the library that hashes passwords. */
export function hashingWords(library: string): string {
  return library === 'bcryptjs' ? 'bcryptjs, in JavaScript' : `${library}, in native code`
}
