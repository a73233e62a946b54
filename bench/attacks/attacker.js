/** Runs attacks in a process of its own, so that what an attack costs the attacker delays nobody who is measured. */
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
