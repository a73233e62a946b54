import type { Control } from '../../../client/control.js'
import type { Emulator } from '../../../emulator/dev.js'

/** What the cases of the control API ask; there once the first of them runs. */
export interface Opened {
  readonly emulator: Emulator
  /** Each of its calls rejects where the reply is not what the contract says. */
  readonly control: Control
}
