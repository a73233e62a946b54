/** Numbers what was written and has no reader, so that little waits for its number, and what a writer that died has left. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../database/port.js'
import type { Bus } from '../ports/bus/port.js'
import { numberAllChanges, numberChanges } from '../store/realtime/numbering.js'
import { openRounds, type Rounds } from './rounds.js'

/** What is written meanwhile is numbered together. */
const gatheringMilliseconds = 100

/** Where numbers are drawn with each write, there is nothing to do. */
export function openNumbering(db: Database, bus: Bus, report: (error: unknown) => void): Pick<Rounds, 'close'> {
  if (!db.capabilities.runsWritersTogether) return { close: async () => undefined }
  /** Projects, or null for any. */
  const wanted = new Set<string | null>()
  const rounds = openRounds({
    report,
    async work({ isStopped }) {
      await pause(gatheringMilliseconds)
      if (isStopped()) return
      const projects = [...wanted]
      wanted.clear()
      if (projects.includes(null)) return numberAllChanges(db)
      for (const project of projects) if (project !== null) await numberChanges(db, project)
    },
  })
  const unsubscribe = bus.subscribe({
    changes({ project }) {
      wanted.add(project)
      rounds.soon()
    },
    identity: () => undefined,
    settings: () => undefined,
  })
  return {
    close() {
      unsubscribe()
      return rounds.close()
    },
  }
}
