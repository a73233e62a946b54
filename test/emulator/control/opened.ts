import type { Control } from '../../../client/control.js'
import type { Emulator } from '../../../emulator/assembly/dev.js'

/** The emulator of these cases; started before the first of them runs. */
export interface Opened {
  readonly emulator: Emulator
  /** Each of its calls rejects where the reply violates the contract. */
  readonly control: Control
}
