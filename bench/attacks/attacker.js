/** Runs attacks in a separate process, so that their own cost does not delay the measured caller. */
import { attacks, preparations } from './attacks.js'

process.on(
  'message',
  async (
    /** @type {{ what?: string, prepare?: string[], target: import('./requests.js').Target }} */ {
      what = '',
      prepare = [],
      target,
    },
  ) => {
    for (const name of prepare) await preparations[name]?.(target)
    const result = await attacks[what]?.run(target)
    process.send?.({ result })
  },
)
process.send?.({})
