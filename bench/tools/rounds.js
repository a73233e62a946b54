/** Measures in rounds. Contenders take turns, so that noise on the machine affects all of them. */

/**
 * Runs each measurement once to warm up, then `rounds` times in turns.
 *
 * @template {string} Name
 * @param {Record<Name, () => Promise<number>>} measurements
 * @param {{ rounds?: number, warmUps?: number }} [options]
 * @returns {Promise<Record<Name, number[]>>}
 */
export async function inTurns(measurements, { rounds = 5, warmUps = 1 } = {}) {
  const names = /** @type {Name[]} */ (Object.keys(measurements))
  const results = /** @type {Record<Name, number[]>} */ ({})
  for (const name of names) results[name] = []
  for (let round = -warmUps; round < rounds; round++) {
    for (const name of names) {
      const result = await measurements[name]()
      if (round >= 0) results[name].push(result)
    }
  }
  return results
}

/** Divides round by round. @param {number[]} ours @param {number[]} theirs */
export function ratios(ours, theirs) {
  return ours.map((one, round) => one / (theirs[round] ?? Number.NaN))
}

/** @param {number[]} values */
export function median(values) {
  const sorted = [...values].sort((one, other) => one - other)
  const middle = sorted.length / 2
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  return (low + high) / 2
}

/** @param {number} value */
export function rounded(value) {
  return value >= 100 ? Math.round(value).toLocaleString('en') : Number(value.toPrecision(3)).toString()
}
