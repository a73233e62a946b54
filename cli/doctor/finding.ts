/** What `svc doctor` looks at, and what it says about it. */
import type { EmulatorInfo } from '../target/emulator-file.js'

/** `wrong` keeps something from working, now or soon; `note` is worth knowing and may well be wanted. */
export type Level = 'wrong' | 'note'

export interface Finding {
  /** The same in every version, for scripts. */
  readonly code: string
  readonly level: Level
  readonly message: string
  /** What to do about it, in words or as a command. */
  readonly remedy: string
  /** Does what is safe, and answers what it did. Left out, only the user can decide. */
  readonly repair?: () => Promise<string>
}

/** What one check saw: in one line, and what is the matter. */
export interface Seen {
  readonly said: string
  readonly findings: readonly Finding[]
}

/** What all checks start from. */
export interface Patient {
  /** The state folder; it need not be there. */
  readonly folder: string
  /** The folder of the app that the state folder belongs to. */
  readonly app: string
  readonly version: string
  /** What the emulator file says, true or not. */
  readonly recorded: EmulatorInfo | undefined
  /** The emulator of the folder, where it answers. */
  readonly emulator: EmulatorInfo | undefined
  /** The process that holds the folder, answering or not, as far as it says who it is. */
  readonly holder: { readonly pid?: number; readonly url?: string } | undefined
  /** The PostgreSQL server that was named to be looked at, and the same past a pooler. */
  readonly database: { readonly url: string | undefined; readonly directUrl: string | undefined }
  readonly env: NodeJS.ProcessEnv
}

export type Check = (patient: Patient) => Seen | Promise<Seen>

export const well = (said: string): Seen => ({ said, findings: [] })
