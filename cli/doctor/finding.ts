/** Types of the checks of `svc doctor` and of their findings. */
import type { EmulatorInfo } from '../target/emulator-file.js'

/** `wrong` breaks something, now or soon. `note` may be intended. */
export type Level = 'wrong' | 'note'

export interface Finding {
  /** Stable across versions, for scripts. */
  readonly code: string
  readonly level: Level
  readonly message: string
  /** The fix, as an instruction or a command. */
  readonly remedy: string
  /** Applies a safe fix, and returns what it did. Missing if the user must decide. */
  readonly repair?: () => Promise<string>
}

/** The result of one check: a line, and its findings. */
export interface Seen {
  readonly said: string
  readonly findings: readonly Finding[]
}

/** Input of all checks. */
export interface Patient {
  /** The state folder. It need not exist. */
  readonly folder: string
  /** The app's folder. */
  readonly app: string
  readonly version: string
  /** The content of the emulator file, which may be outdated. */
  readonly recorded: EmulatorInfo | undefined
  /** The folder's emulator, if it answers. */
  readonly emulator: EmulatorInfo | undefined
  /** The process that locks the folder, as far as it is known. It need not answer. */
  readonly holder: { readonly pid?: number; readonly url?: string } | undefined
  /** The PostgreSQL server from the flags, and its direct address. */
  readonly database: { readonly url: string | undefined; readonly directUrl: string | undefined }
  readonly env: NodeJS.ProcessEnv
}

export type Check = (patient: Patient) => Seen | Promise<Seen>

export const well = (said: string): Seen => ({ said, findings: [] })
