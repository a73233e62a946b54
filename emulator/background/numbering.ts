/** Numbers changes in the background, so that few remain for readers to number, even after their writer died. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../database/port.js'
import type { Bus } from '../ports/bus/port.js'
import { sequencerFor } from '../store/sequencer/sequencer.js'
import { openRounds, type Rounds } from './rounds.js'

/** Debounces, so that changes are numbered together. */
const debounceMilliseconds = 100

/** Does nothing on databases that number changes when they are written. */
export function openNumbering(db: Database, bus: Bus, report: (error: unknown) => void): Pick<Rounds, 'close'> {
  if (db.capabilities.numbersChanges === 'when written') return { close: async () => undefined }
  const sequencer = sequencerFor(db)
  /** Projects to number; null stands for all. */
  const wanted = new Set<string | null>()
  const rounds = openRounds({
    report,
    async work({ isStopped }) {
      await pause(debounceMilliseconds)
      if (isStopped()) return
      const projects = [...wanted]
      wanted.clear()
      if (projects.includes(null)) return sequencer.numberAll(db)
      for (const project of projects) if (project !== null) await sequencer.number(db, project)
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
